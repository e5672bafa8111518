// SPDX-License-Identifier: Apache-2.0
// For tests: trains a small net on made-up rows; ranks are threads.
#pragma once

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/fault.h"
#include "collective/testing/thread_ranks.h"
#include "os/file.h"
#include "tasks/tasks.h"
#include "tasks/testing/rank_context.h"

namespace protium {

inline SchemaPtr TableSchema() {
  return arrow::schema({arrow::field("a", arrow::float64()), arrow::field("b", arrow::int64()),
                        arrow::field("c", arrow::int64()), arrow::field("y", arrow::float64()),
                        arrow::field("held", arrow::boolean())});
}

// Rows `ids` of an endless table; y depends on a, b and c.
inline std::shared_ptr<arrow::RecordBatch> MakeRows(const std::vector<int>& ids) {
  arrow::DoubleBuilder a, y;
  arrow::Int64Builder b, c;
  arrow::BooleanBuilder held;
  for (const int id : ids) {
    const double x = double(id * 7919 % 1000) / 500 - 1;
    const int64_t n = id * 104729 % 17;
    const int64_t category = id * 31 % 5;
    (void)a.Append(x);
    (void)b.Append(n);
    (void)c.Append(category);
    (void)y.Append(100 + 20 * x * double(category) - double(n));
    (void)held.Append(id % 10 == 3);
  }
  return arrow::RecordBatch::Make(
      TableSchema(), int64_t(ids.size()),
      {*a.Finish(), *b.Finish(), *c.Finish(), *y.Finish(), *held.Finish()});
}

// Ids 0 to rows-1, divided among `world` ranks in an order drawn from `shuffle`; 0: in order.
inline std::vector<Batches> Deal(int rows, int32_t world, unsigned shuffle) {
  std::vector<int> ids(static_cast<size_t>(rows));
  for (int i = 0; i < rows; ++i) ids[size_t(i)] = i;
  std::mt19937 random(shuffle);
  if (shuffle != 0) std::ranges::shuffle(ids, random);
  std::vector<Batches> out{size_t(world)};
  for (size_t at = 0; at < ids.size(); at += 50) {
    const size_t end = std::min(ids.size(), at + 50);
    out[at / 50 % size_t(world)].push_back(MakeRows({&ids[at], &ids[at] + (end - at)}));
  }
  return out;
}

class TrainTaskTest : public testing::Test {
 protected:
  TrainTaskTest() {
    config_.net.net = {"tabular_mlp", {{"hidden", {16, 8}}, {"dropout", 0.2}}};
    config_.net.categorical = {{.column = "c", .cardinality = 5}};
    config_.net.numeric = {"a", "b"};
    config_.net.objective.labels = {{.column = "y", .mean = 100, .deviation = 30}};
    config_.held_out = "held";
    config_.loss = {"huber", {{"delta", 1.0}}};
    config_.train.metrics = {"rmse", "mae"};
    config_.train.best = "rmse";
    config_.train.epochs = 2;
    config_.train.batch_size = 64;
    config_.train.seed = 5;
    config_.stages_sha256 = "s";
    Fresh("run");
  }
  void Fresh(const std::string& name) { config_.folder = (folder_.path() / name).string(); }

  // One run of all ranks; returns rank 0's status.
  Status Run(int32_t world, const std::vector<Batches>& input) {
    reports_.emplace();
    reports_->on_event = on_event_;
    reports_->on_phase = on_phase_;
    const auto statuses = RunThreadRanks(world, {}, [&](Communicator& communicator) {
      TrainConfig own = config_;
      if (of_rank_) of_rank_(communicator.rank(), own);
      RankContext context(&communicator, Dump(FieldsToJson(own)), TableSchema(),
                          input[size_t(communicator.rank())], *reports_);
      return RunTrainTask(context, rows_);
    });
    return statuses[0];
  }

  TrainResult RunToResult(int32_t world, const std::vector<Batches>& input) {
    TrainResult result;
    const Status status = Run(world, input);
    EXPECT_TRUE(status.ok()) << status.ToString();
    if (!status.ok()) return result;
    const auto& column =
        static_cast<const arrow::StringArray&>(*reports_->emitted.at(0)->column(0));
    EXPECT_TRUE(FieldsFromJson(*ParseJson(column.GetView(0)), "", result).ok());
    return result;
  }

  // Runs until the checkpoint of `step`, or a later one, is on the disk, then stops; returns the
  // step at which training ended. Training waits for the checkpoint before the last, so that is
  // within two checkpoints, and at the end of a round where steps are made apart.
  int64_t RunAndStop(int32_t world, const std::vector<Batches>& input, int64_t step) {
    on_event_ = [this, step](const Json& event) {
      if (event["event"] == "checkpoint" && event["step"] >= step) reports_->stop.request_stop();
    };
    const Fault fault = FaultOf(Run(world, input));
    on_event_ = nullptr;
    EXPECT_EQ(fault.exit, Exit::kStopped) << Render(fault);
    int64_t stopped = 0;
    EXPECT_EQ(std::sscanf(fault.what.c_str(), "stopped at step %ld of", &stopped), 1) << fault.what;
    EXPECT_GT(stopped, step);
    const TrainOptions& train = config_.train;
    int64_t round = train.mode == TrainMode::kLocal ? train.local.every : 0;
    if (train.asynchronous()) round = train.checkpoint.every_steps;
    EXPECT_LE(stopped, step + 2 * train.checkpoint.every_steps + round);
    return stopped;
  }

  std::vector<Json> Events(const std::string& name) {
    std::vector<Json> out;
    for (const Json& event : reports_->events) {
      if (event.at("event") == name) out.push_back(event);
    }
    return out;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  TrainConfig config_;
  TaskRows rows_ = PlainRows();
  std::optional<RankReports> reports_;
  std::function<void(const Json&)> on_event_;
  std::function<void(int32_t rank, std::string_view phase)> on_phase_;
  std::function<void(int32_t rank, TrainConfig&)> of_rank_;  // Changes what a rank is told.
};

}  // namespace protium
