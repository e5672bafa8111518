// SPDX-License-Identifier: Apache-2.0
// train.mode = "server": servers take the gradients of shards as they come.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "tasks/testing/train_task.h"

namespace protium {
namespace {

constexpr int kRows = 700;

class Asynchronous : public TrainTaskTest {
 protected:
  Asynchronous() {
    config_.net.net = {"wide_and_deep", {{"hidden", {16, 8}}, {"dropout", 0.2}, {"embedding", 4}}};
    config_.net.categorical = {{.column = "c", .cardinality = 5},
                               {.column = "b", .cardinality = kAnyId}};
    config_.net.numeric = {"a"};
    config_.train.optimizer = Choice{"rowwise_adagrad", {{"learning_rate", 0.05}}};
    config_.train.mode = TrainMode::kServer;
    config_.train.staleness = {.steps = -1};
  }
  TrainResult Train(int32_t workers, int32_t servers, unsigned shuffle = 0) {
    config_.servers = servers;
    return RunToResult(workers + servers, Deal(kRows, workers + servers, shuffle));
  }
  TrainResult Trained(int32_t workers, int32_t servers, unsigned shuffle = 0) {
    Fresh("run" + std::to_string(++runs_));
    return Train(workers, servers, shuffle);
  }
  double Rmse(int32_t workers, int32_t servers) {
    return Trained(workers, servers).validation.at("rmse").get<double>();
  }
  // Of three workers: rank 0 has its first piece before the others compute any, and computes it
  // when they have computed so many.
  void HoldRank0(int64_t pieces) {
    computed_ = 0;
    begun_ = false;
    on_phase_ = [this, pieces](int32_t rank, std::string_view phase) {
      if ((rank == 1 || rank == 2) && phase == "optimizer") ++computed_;
      if (phase != "forward") return;
      if (rank == 0) begun_ = true;
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (std::chrono::steady_clock::now() < until) {
        if (rank == 0 ? computed_ >= pieces : bool(begun_)) return;
        std::this_thread::yield();
      }
    };
  }
  // Of all epochs but the first, of workers that sleep in place of computing, one of them five
  // times as long.
  double SecondsWithASlowWorker() {
    on_phase_ = [](int32_t rank, std::string_view phase) {
      if (phase != "forward") return;
      std::this_thread::sleep_for(std::chrono::milliseconds(rank == 0 ? 50 : 10));
    };
    const Json history = Trained(4, 1).history;
    return history.back()["seconds"].get<double>() - history[0]["seconds"].get<double>();
  }
  std::vector<Json> Rounds() { return Events("servers_stepped"); }

 private:
  std::atomic<int64_t> computed_ = 0;
  std::atomic<bool> begun_ = false;
  int runs_ = 0;
};

TEST_F(Asynchronous, HasTheWeightsOfExactModeWithoutStaleness) {
  config_.train.mode = TrainMode::kExact;
  config_.train.staleness = {};
  const std::string exact = Trained(1, 0).weights_sha256;
  config_.train.mode = TrainMode::kServer;
  EXPECT_EQ(Trained(1, 1).weights_sha256, exact);
  EXPECT_EQ(Trained(3, 2, 5).weights_sha256, exact);
  EXPECT_TRUE(Rounds().empty());
}

TEST_F(Asynchronous, LetsNobodyBeFurtherAheadThanAllowed) {
  for (const int64_t staleness : {1, 3}) {
    config_.train.staleness = {.steps = staleness};
    HoldRank0(4 * (staleness + 1) - 1);  // All other pieces that may begin.
    Trained(3, 2);
    ASSERT_EQ(Rounds().size(), 2u) << "one an epoch";
    for (const Json& each : Rounds()) {
      EXPECT_EQ(each["bound"], staleness);
      EXPECT_LE(each["most_ahead"], staleness);
    }
    EXPECT_EQ(Rounds()[0]["most_ahead"], staleness) << "they wait there for the slow one";
  }
}

TEST_F(Asynchronous, LetsNobodyWaitWithoutABound) {
  HoldRank0(39);  // All others of the epoch.
  Trained(3, 1);
  const Json first = Rounds().front();
  EXPECT_FALSE(first.contains("bound")) << first;
  EXPECT_EQ(first["most_ahead"], 9);
  EXPECT_GT(first["most_missed"], 30);
  EXPECT_EQ(first["gradients"][0], 1);
}

// Four times as fast at best; on a busy machine less.
TEST_F(Asynchronous, IsNotAsSlowAsItsSlowestWorker) {
  const double apart = SecondsWithASlowWorker();
  config_.train.mode = TrainMode::kExact;
  config_.train.staleness = {};
  const double exact = SecondsWithASlowWorker();
  EXPECT_GT(exact, 1.5 * apart) << exact << " s and " << apart << " s";
  RecordProperty("times_faster", std::to_string(exact / apart));
}

// 630 rows to train on are 10 steps of 64 rows.
TEST_F(Asynchronous, ComputesEveryShardOfEveryStepOnce) {
  config_.train.shards = 5;
  for (const int32_t workers : {1, 3}) {
    const TrainResult result = Trained(workers, 2);
    EXPECT_EQ(result.steps, 20);
    for (const Json& each : Rounds()) {
      const auto gradients = each["gradients"].get<std::vector<int64_t>>();
      EXPECT_EQ(int32_t(gradients.size()), workers);
      EXPECT_EQ(std::accumulate(gradients.begin(), gradients.end(), int64_t{0}), 50);
      EXPECT_EQ(each["count"], 10);
    }
  }
}

// Labels deviate by 30.
TEST_F(Asynchronous, LearnsNearlyAsWellAsExactMode) {
  config_.net.net.options["dropout"] = 0;
  config_.train.epochs = 12;
  const double apart = Rmse(3, 2);
  config_.train.mode = TrainMode::kExact;
  config_.train.staleness = {};
  EXPECT_LT(apart, Rmse(3, 2) + 3);
}

// The pushes of a step together move as far as its one step.
TEST_F(Asynchronous, OfOneWorkerAndPlainStepsIsAlmostExactMode) {
  config_.net.net.options["dropout"] = 0;
  config_.train.optimizer = Sgd({.learning_rate = 1e-3});
  const double apart = Rmse(1, 1);
  config_.train.mode = TrainMode::kExact;
  config_.train.staleness = {};
  EXPECT_NEAR(apart, Rmse(1, 1), 0.05);
}

TEST_F(Asynchronous, OfOneWorkerRepeatsItself) {
  EXPECT_EQ(Trained(1, 2).weights_sha256, Trained(1, 2).weights_sha256);
}

TEST_F(Asynchronous, TakesEachOptimizerAndNetOfIdsWithClippingAndMicroBatches) {
  config_.train.epochs = 1;
  config_.train.clip_norm = 0.5;
  config_.train.clip_value = 0.2;
  config_.train.micro_batches = 2;
  for (const char* optimizer : {"sgd", "adagrad", "lazy_adam"}) {
    config_.train.optimizer = Choice{optimizer, {{"learning_rate", 0.02}}};
    EXPECT_EQ(Trained(2, 2).steps, 10) << optimizer;
  }
  for (const char* net : {"linear", "tabular_mlp", "factorization_machine", "dlrm", "tabm"}) {
    config_.net.net = {net, Json::object()};
    EXPECT_EQ(Trained(2, 2).steps, 10) << net;
  }
}

TEST_F(Asynchronous, KeepsStatisticsOfBatchNorm) {
  config_.net.net = {"tabular_mlp", {{"hidden", {16, 8}}, {"batch_norm", true}}};
  config_.train.epochs = 20;
  const double apart = Rmse(3, 1);
  config_.train.mode = TrainMode::kExact;
  config_.train.staleness = {};
  EXPECT_LT(apart, Rmse(3, 1) + 3);
}

TEST_F(Asynchronous, GoesOnFromACheckpointWithOtherWorkersAndServers) {
  config_.train.epochs = 4;
  config_.train.checkpoint.every_steps = 3;
  for (const auto& [workers, servers] : {std::pair(1, 2), std::pair(4, 1)}) {
    Fresh("stopped" + std::to_string(workers));
    config_.resume = false;
    config_.servers = 2;
    const int64_t stopped = RunAndStop(4, Deal(kRows, 4, 0), 6);
    config_.resume = true;
    EXPECT_EQ(Train(workers, servers, 4).steps, 40);
    EXPECT_EQ(Events("train_start")[0]["step"], stopped);
  }
}

TEST_F(Asynchronous, StopsInTheMiddleOfAnEpoch) {
  config_.train.epochs = 50;
  config_.servers = 1;
  bool seen = false;
  on_phase_ = [&](int32_t rank, std::string_view phase) {
    if (rank != 1 || phase != "backward" || std::exchange(seen, true)) return;
    reports_->stop.request_stop();
  };
  const Fault fault = FaultOf(Run(3, Deal(kRows, 3, 0)));
  EXPECT_EQ(fault.exit, Exit::kStopped) << Render(fault);
  int64_t step = 0;
  ASSERT_EQ(std::sscanf(fault.what.c_str(), "stopped at step %ld of 500", &step), 1) << fault.what;
  EXPECT_GE(step, 1);
  EXPECT_LE(step, 3);
}

TEST_F(Asynchronous, FailsAlikeWhereAGradientIsNotFinite) {
  config_.train.optimizer = Choice{"sgd", {{"learning_rate", 1e30}}};
  config_.loss = {"mse", Json::object()};
  config_.servers = 2;
  const Fault fault = FaultOf(Run(4, Deal(kRows, 4, 0)));
  EXPECT_EQ(fault.exit, Exit::kFailed) << Render(fault);
  EXPECT_THAT(fault.what, testing::HasSubstr("is not finite at step"));
}

TEST_F(Asynchronous, NamesAWorkerThatKeepsTheOthersWaiting) {
  config_.deadline = 0.2;
  config_.servers = 1;
  bool seen = false;
  on_phase_ = [&](int32_t rank, std::string_view phase) {
    if (rank != 1 || phase != "forward" || std::exchange(seen, true)) return;
    std::this_thread::sleep_for(std::chrono::seconds(1));
  };
  const Fault fault = FaultOf(Run(3, Deal(kRows, 3, 0)));
  EXPECT_EQ(fault.exit, Exit::kStalled) << Render(fault);
  EXPECT_EQ(fault.what, "rank 1 pushed no gradient within 0.2 s");
}

TEST_F(Asynchronous, RefusesRowsOnTheDisk) {
  config_.servers = 1;
  config_.memory_bytes = 1024;
  config_.scratch = (folder_.path() / "spill").string();
  const Fault fault = FaultOf(Run(3, Deal(kRows, 3, 0)));
  EXPECT_EQ(fault.exit, Exit::kNoRoom) << Render(fault);
  EXPECT_THAT(fault.what, testing::HasSubstr("do not fit engine.rows_memory"));
}

}  // namespace
}  // namespace protium
