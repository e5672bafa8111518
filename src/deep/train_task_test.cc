// SPDX-License-Identifier: Apache-2.0
#include <ATen/TensorOperators.h>
#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "base/fault.h"
#include "collective/thread_ranks.h"
#include "deep/rank_context.h"
#include "deep/recorded_loss.h"
#include "deep/tasks.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::HasSubstr;

SchemaPtr TableSchema() {
  return arrow::schema({arrow::field("a", arrow::float64()), arrow::field("b", arrow::int64()),
                        arrow::field("c", arrow::int64()), arrow::field("y", arrow::float64()),
                        arrow::field("held", arrow::boolean())});
}

// Rows `ids` of an endless table; y depends on a, b and c.
std::shared_ptr<arrow::RecordBatch> MakeRows(const std::vector<int>& ids) {
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

// Ids 0 to rows-1, dealt to `world` ranks in an order drawn from `shuffle`; 0: as they are.
std::vector<Batches> Deal(int rows, int32_t world, unsigned shuffle) {
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

class TrainTask : public testing::Test {
 protected:
  TrainTask() {
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
    const auto statuses = RunThreadRanks(world, {}, [&](Communicator& communicator) {
      RankContext context(&communicator, Dump(FieldsToJson(config_)), TableSchema(),
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

  std::vector<Json> Events(const std::string& name) {
    std::vector<Json> out;
    for (const Json& event : reports_->events) {
      if (event.at("event") == name) out.push_back(event);
    }
    return out;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  TrainConfig config_;
  TorchRows rows_ = BuiltInRows();
  std::optional<RankReports> reports_;
  std::function<void(const Json&)> on_event_;
};

TEST_F(TrainTask, GivesTheSameWeightsForAnyWorkersAndOrderOfRows) {
  const TrainResult one = RunToResult(1, Deal(700, 1, 0));
  EXPECT_EQ(one.rows, 630);
  EXPECT_EQ(one.validation_rows, 70);
  EXPECT_EQ(one.steps, 2 * 10);
  EXPECT_EQ(one.history.size(), 2u);
  for (const int32_t world : {1, 2, 3, 4}) {
    Fresh("run" + std::to_string(world));
    const TrainResult other = RunToResult(world, Deal(700, world, unsigned(world) + 6));
    EXPECT_EQ(other.weights_sha256, one.weights_sha256) << world;
    EXPECT_EQ(other.validation, one.validation) << world;
  }
}

TEST_F(TrainTask, LearnsAndKeepsTheBestEpoch) {
  config_.train.epochs = 12;
  config_.train.optimizer = Choice{"adam", {{"learning_rate", 0.02}}};
  const TrainResult result = RunToResult(2, Deal(1000, 2, 1));
  const double first = result.history[0]["validation"]["rmse"].get<double>();
  EXPECT_LT(result.validation["rmse"].get<double>(), first / 2);
  EXPECT_GT(result.best_epoch, 1);
  EXPECT_TRUE(std::filesystem::exists(result.weights));
  EXPECT_EQ(Events("step").front()["step"], 1);
  EXPECT_EQ(Events("validation").size(), 12u);
  EXPECT_EQ(Events("train_start").size(), 1u);
}

TEST_F(TrainTask, GoesOnAfterAStopInMidEpochWithTheSameBits) {
  const TrainResult whole = RunToResult(2, Deal(700, 2, 0));
  Fresh("stopped");
  config_.train.checkpoint.every_steps = 3;
  on_event_ = [&](const Json& event) {
    if (event["event"] == "checkpoint" && event["step"] == 3) reports_->stop.request_stop();
  };
  const Fault fault = FaultOf(Run(2, Deal(700, 2, 0)));
  EXPECT_EQ(fault.exit, Exit::kStopped);
  EXPECT_THAT(fault.what, HasSubstr("stopped at step 4 of 20"));
  on_event_ = nullptr;
  config_.resume = true;
  const TrainResult resumed = RunToResult(3, Deal(700, 3, 4));
  EXPECT_EQ(Events("train_start")[0]["step"], 4);
  EXPECT_EQ(resumed.weights_sha256, whole.weights_sha256);
  EXPECT_EQ(resumed.steps, whole.steps);
  EXPECT_EQ(RunToResult(1, Deal(700, 1, 4)).weights_sha256, whole.weights_sha256);
}

TEST_F(TrainTask, GoesBackToTheNewestWholeCheckpointAndSaysSo) {
  const TrainResult whole = RunToResult(2, Deal(700, 2, 0));
  Fresh("damaged");
  config_.train.checkpoint.every_steps = 3;
  on_event_ = [&](const Json& event) {
    if (event["event"] == "checkpoint" && event["step"] == 6) reports_->stop.request_stop();
  };
  EXPECT_EQ(FaultOf(Run(2, Deal(700, 2, 0))).exit, Exit::kStopped);
  on_event_ = nullptr;
  const std::filesystem::path newest = config_.folder + "/step-000000007";
  const auto other = newest.parent_path() / "step-000000006" / "weights.safetensors";
  ASSERT_TRUE(std::filesystem::exists(other));
  std::filesystem::copy_file(other, newest / "weights.safetensors",
                             std::filesystem::copy_options::overwrite_existing);
  config_.resume = true;
  const TrainResult resumed = RunToResult(2, Deal(700, 2, 0));
  EXPECT_EQ(Events("train_start")[0]["step"], 6);
  ASSERT_EQ(Events("warning").size(), 1u);
  EXPECT_THAT(Events("warning")[0]["message"].get<std::string>(),
              testing::AllOf(HasSubstr("step-000000007: weights.safetensors is damaged"),
                             HasSubstr("training continues from"), HasSubstr("step-000000006")));
  EXPECT_EQ(resumed.weights_sha256, whole.weights_sha256);
}

TEST_F(TrainTask, RefusesToResumeWithOtherRowsOrOptions) {
  RunToResult(1, Deal(700, 1, 0));
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).what, HasSubstr("checkpoints of another run"));
  config_.resume = true;
  const Fault rows = FaultOf(Run(1, Deal(690, 1, 0)));
  EXPECT_THAT(rows.what, HasSubstr("input changed: the checkpoint was made with 630 rows, now "
                                   "there are 621"));
  config_.train.seed = 6;
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).what, HasSubstr("options changed"));
}

TEST_F(TrainTask, ANotFiniteLossNamesTheStepAndKeepsTheCheckpoint) {
  config_.loss = {"mse"};
  config_.train.optimizer = Choice{"sgd", {{"learning_rate", 1e20}}};
  config_.train.checkpoint.every_steps = 1;
  const Fault fault = FaultOf(Run(2, Deal(700, 2, 0)));
  EXPECT_THAT(fault.what, HasSubstr("is not finite at step"));
  EXPECT_FALSE(Events("checkpoint").empty());
  EXPECT_TRUE(std::filesystem::exists(std::string(Events("checkpoint").back()["path"]) +
                                      "/weights.safetensors"));
}

TEST_F(TrainTask, TrainsOnFewerRowsThanShards) {
  config_.held_out.clear();
  config_.train.best = "mae";
  const TrainResult one = RunToResult(1, Deal(2, 1, 0));
  EXPECT_EQ(one.rows, 2);
  EXPECT_EQ(one.best_epoch, 0);
  Fresh("other");
  EXPECT_EQ(RunToResult(4, Deal(2, 4, 0)).weights_sha256, one.weights_sha256);
}

TEST_F(TrainTask, RefusesWhatCannotBeTrained) {
  EXPECT_THAT(FaultOf(Run(2, Deal(0, 2, 0))).what, HasSubstr("no row"));
  config_.held_out.clear();
  EXPECT_THAT(FaultOf(Run(2, Deal(0, 2, 0))).what, HasSubstr("no rows to train on"));
  EXPECT_THAT(FaultOf(Run(5, Deal(700, 5, 0))).fix, HasSubstr("train.shards = 5"));
  config_.memory_bytes = 1000;
  const Fault room = FaultOf(Run(2, Deal(700, 2, 0)));
  EXPECT_EQ(room.exit, Exit::kNoRoom);
  config_.memory_bytes = 0;
  config_.net.categorical[0].cardinality = 4;
  EXPECT_THAT(FaultOf(Run(2, Deal(700, 2, 0))).what, HasSubstr("column c holds category 4"));
}

TEST_F(TrainTask, RefusesOneRowStepsWithBatchNorm) {
  config_.net.net.options["batch_norm"] = true;
  config_.held_out.clear();
  const Fault fault = FaultOf(Run(2, Deal(64 + 2, 2, 0)));
  EXPECT_THAT(fault.what, HasSubstr("gives shard"));
  EXPECT_TRUE(Run(2, Deal(64 * 3, 2, 0)).ok());
  config_.train.micro_batches = 9;
  EXPECT_THAT(FaultOf(Run(2, Deal(64 * 3, 2, 0))).what,
              HasSubstr("rows in 9 parts, but batch norm needs 2 in each"));
}

struct Recipe {
  const char* name;
  std::function<void(TrainOptions&)> set;
};

void PrintTo(const Recipe& recipe, std::ostream* out) { *out << recipe.name; }

const Recipe kRecipes[] = {
    {"adamw", [](TrainOptions& t) { t.optimizer = AdamW({.learning_rate = 0.01}); }},
    {"sgd",
     [](TrainOptions& t) {
       t.optimizer = Sgd({.learning_rate = 0.01, .momentum = 0.9, .nesterov = true});
     }},
    {"adagrad", [](TrainOptions& t) { t.optimizer = Adagrad({.initial = 0.1}); }},
    {"rmsprop",
     [](TrainOptions& t) { t.optimizer = Rmsprop({.momentum = 0.5, .centered = true}); }},
    {"step", [](TrainOptions& t) { t.schedule = StepSchedule({.every_steps = 7}); }},
    {"cosine", [](TrainOptions& t) { t.schedule = Cosine(); }},
    {"one_cycle", [](TrainOptions& t) { t.schedule = OneCycle(); }},
    {"reduce_on_plateau",
     [](TrainOptions& t) {
       t.optimizer = Adam({.learning_rate = 0.3});
       t.schedule = ReduceOnPlateau({.factor = 0.5, .patience = 0, .least = 0.3});
     }},
    {"warm_up", [](TrainOptions& t) { t.warm_up.share = 0.5; }},
    {"clipping",
     [](TrainOptions& t) {
       t.clip_norm = 0.5;
       t.clip_value = 0.01;
     }},
    {"average", [](TrainOptions& t) { t.average = 0.9; }},
    {"micro_batches", [](TrainOptions& t) { t.micro_batches = 3; }},
    {"parameters",
     [](TrainOptions& t) {
       t.clip_norm = 0.5;
       t.parameters = {{.name = "embedding.*", .rate = 0}, {.name = "*.bias", .rate = 3}};
     }},
    {"early_stopping", [](TrainOptions& t) { t.early_stopping = {.patience = 2, .least = 5}; }}};

class TrainRecipe : public TrainTask, public testing::WithParamInterface<Recipe> {};

TEST_P(TrainRecipe, GivesTheSameBitsForAnyWorkersAndAfterAStop) {
  config_.train.epochs = 4;
  const TrainResult plain = RunToResult(1, Deal(700, 1, 0));
  GetParam().set(config_.train);
  Fresh("whole");
  const TrainResult whole = RunToResult(1, Deal(700, 1, 0));
  if (std::string(GetParam().name) != "early_stopping") {
    EXPECT_NE(whole.weights_sha256, plain.weights_sha256);
  }
  for (const int32_t world : {2, 4}) {
    Fresh("run" + std::to_string(world));
    EXPECT_EQ(RunToResult(world, Deal(700, world, 3)).weights_sha256, whole.weights_sha256)
        << world;
  }
  Fresh("stopped");
  config_.train.checkpoint.every_steps = 3;
  on_event_ = [&](const Json& event) {
    if (event["event"] == "checkpoint" && event["step"] == 24) reports_->stop.request_stop();
  };
  EXPECT_EQ(FaultOf(Run(2, Deal(700, 2, 0))).exit, Exit::kStopped);
  on_event_ = nullptr;
  config_.resume = true;
  const TrainResult resumed = RunToResult(3, Deal(700, 3, 4));
  EXPECT_EQ(Events("train_start")[0]["step"], 25);
  EXPECT_EQ(resumed.weights_sha256, whole.weights_sha256);
  EXPECT_EQ(resumed.steps, whole.steps);
  EXPECT_EQ(resumed.validation, whole.validation);
}

INSTANTIATE_TEST_SUITE_P(Options, TrainRecipe, testing::ValuesIn(kRecipes),
                         [](const testing::TestParamInfo<Recipe>& info) {
                           return std::string(info.param.name);
                         });

TEST_F(TrainTask, EndsEarlyAndStaysEnded) {
  config_.train.epochs = 50;
  config_.train.early_stopping = {.patience = 2, .least = 1000};
  const TrainResult result = RunToResult(2, Deal(700, 2, 0));
  EXPECT_EQ(result.history.size(), 3u);
  EXPECT_EQ(result.steps, 30);
  ASSERT_EQ(Events("note").size(), 1u);
  EXPECT_EQ(Events("note")[0]["message"],
            "training ends after epoch 3 of 50: rmse did not improve for 2 epochs");
  config_.resume = true;
  const TrainResult again = RunToResult(1, Deal(700, 1, 0));
  EXPECT_EQ(again.steps, 30);
  EXPECT_EQ(again.weights_sha256, result.weights_sha256);
  config_.train.early_stopping.patience = 0;
  config_.train.epochs = 4;
  EXPECT_EQ(RunToResult(1, Deal(700, 1, 0)).steps, 40);
}

TEST_F(TrainTask, ResumesWithMoreEpochsOnlyWhereRatesAllow) {
  RunToResult(1, Deal(700, 1, 0));
  config_.resume = true;
  config_.train.epochs = 3;
  EXPECT_EQ(RunToResult(1, Deal(700, 1, 0)).steps, 30);
  Fresh("cosine");
  config_.resume = false;
  config_.train.schedule = Cosine();
  RunToResult(1, Deal(700, 1, 0));
  config_.resume = true;
  config_.train.epochs = 4;
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).what, HasSubstr("options changed"));
}

TEST_F(TrainTask, KeepsTheAverageOfTheWeightsAndMeasuresIt) {
  config_.train.average = 0.99;
  config_.held_out.clear();
  const TrainResult averaged = RunToResult(2, Deal(700, 2, 0));
  Fresh("plain");
  config_.train.average = 0;
  const TrainResult plain = RunToResult(2, Deal(700, 2, 0));
  EXPECT_NE(averaged.weights_sha256, plain.weights_sha256);
  // Behind the average, training goes on with the weights of a run without it.
  for (size_t epoch = 0; epoch < 2; ++epoch) {
    EXPECT_EQ(averaged.history[epoch]["loss"], plain.history[epoch]["loss"]);
  }
}

TEST_F(TrainTask, StartsFromTheWeightsOfAModel) {
  const TrainResult first = RunToResult(1, Deal(700, 1, 0));
  Fresh("next");
  config_.train.from.model = "first";
  config_.train.from.weights = first.weights;
  config_.train.from.sha256 = first.weights_sha256;
  const TrainResult next = RunToResult(1, Deal(700, 1, 0));
  EXPECT_LT(next.history[0]["loss"].get<double>(), first.history[0]["loss"].get<double>());
  for (const int32_t world : {2, 3}) {
    Fresh("next" + std::to_string(world));
    EXPECT_EQ(RunToResult(world, Deal(700, world, 5)).weights_sha256, next.weights_sha256);
  }
  Fresh("part");
  config_.train.from.parameters = {"embedding.*"};
  const TrainResult part = RunToResult(1, Deal(700, 1, 0));
  EXPECT_NE(part.weights_sha256, next.weights_sha256);
  config_.resume = true;
  config_.train.from.parameters = {"dense.*"};
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).what, HasSubstr("options changed"));
}

TEST_F(TrainTask, RefusesWeightsThatDoNotFit) {
  const TrainResult first = RunToResult(1, Deal(700, 1, 0));
  Fresh("next");
  config_.train.from.model = "first";
  config_.train.from.weights = first.weights;
  config_.train.from.sha256 = first.weights_sha256;
  config_.net.net.options["hidden"] = {16, 9};
  const Fault shape = FaultOf(Run(1, Deal(700, 1, 0)));
  EXPECT_EQ(shape.exit, Exit::kInput);
  EXPECT_EQ(shape.what, "the weights of the model first do not fit the net");
  EXPECT_EQ(shape.why, "its dense.1.weight is F32 [8, 16], the net's is F32 [9, 16]");
  config_.train.from.parameters = {"embed*", "conv*"};
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).what, HasSubstr("called \"conv*\""));
  config_.train.from.sha256 = "other";
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).what,
              HasSubstr("the weights to start from have changed"));
}

TEST_F(TrainTask, TakesLossesAndMetricsOfAProgram) {
  rows_.losses["own"] = [](const Json&, const std::vector<double>&) -> Result<Loss> {
    return RecordedLoss([](const at::Tensor& outputs, const at::Tensor& labels) {
      return (outputs - labels).abs().log1p();
    });
  };
  rows_.metrics = {{"worst_half", "of our own", {TargetKind::kValues}, false, [](TargetKind) {
                      return MakeMeanOf([](const Judged& row) {
                        return double(std::abs(row.labels[0] - row.scores[0]) > 10);
                      });
                    }}};
  config_.loss = {"own"};
  config_.train.metrics = {"worst_half"};
  config_.train.best = "worst_half";
  const TrainResult one = RunToResult(1, Deal(700, 1, 0));
  EXPECT_TRUE(one.validation["worst_half"].is_number());
  Fresh("more");
  const TrainResult more = RunToResult(3, Deal(700, 3, 4));
  EXPECT_EQ(more.weights_sha256, one.weights_sha256);
  EXPECT_EQ(more.validation, one.validation);
  rows_.losses["own"] = [](const Json&, const std::vector<double>&) -> Result<Loss> {
    return RecordedLoss(
        [](const at::Tensor& outputs, const at::Tensor&) { return outputs.mean(); });
  };
  Fresh("wrong");
  EXPECT_THAT(FaultOf(Run(2, Deal(700, 2, 0))).what, HasSubstr("without a sum or mean"));
}

class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    action_ = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, action_);
  }

 private:
  rlimit before_;
  sighandler_t action_;
};

TEST_F(TrainTask, ACheckpointThatDoesNotFitLeavesTheOneBefore) {
  config_.train.checkpoint.every_steps = 4;
  std::optional<FileSizeLimit> limit;
  on_event_ = [&](const Json& event) {
    if (event["event"] == "checkpoint" && !limit) limit.emplace(1000);
  };
  const Fault fault = FaultOf(Run(2, Deal(700, 2, 0)));
  limit.reset();
  EXPECT_THAT(fault.what, HasSubstr("bytes to " + config_.folder));
  EXPECT_THAT(fault.kept, HasSubstr("step-000000004"));
  on_event_ = nullptr;
  config_.resume = true;
  EXPECT_EQ(RunToResult(2, Deal(700, 2, 0)).steps, 20);
}

}  // namespace
}  // namespace protium
