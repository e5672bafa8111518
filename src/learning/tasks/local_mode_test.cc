// SPDX-License-Identifier: Apache-2.0
// train.mode = "local": shards make steps apart and take their mean.
#include <gmock/gmock.h>

#include <set>

#include "tasks/testing/train_task.h"

namespace protium {
namespace {

class LocalMode : public TrainTaskTest {
 protected:
  LocalMode() {
    config_.train.mode = TrainMode::kLocal;
    config_.train.local.every = 3;  // Of 15 steps in an epoch; rounds of 7 leave a short one.
    config_.train.local.outer = {.momentum = 0.9, .rate = 0.7};
  }
  std::string Trained(int32_t world, unsigned shuffle = 0) {
    Fresh(std::to_string(++runs_));
    return RunToResult(world, Deal(960, world, shuffle)).weights_sha256;
  }
  double Rmse() {
    Fresh(std::to_string(++runs_));
    return RunToResult(1, Deal(960, 1, 0)).validation.at("rmse").get<double>();
  }

 private:
  int runs_ = 0;
};

TEST_F(LocalMode, GivesTheSameBitsForAnyNumberOfWorkersAndOrderOfRows) {
  for (const int64_t every : {1, 3, 7, 100}) {
    config_.train.local.every = every;
    const std::string one = Trained(1);
    ASSERT_NE(one, "");
    for (const int32_t world : {2, 3, 4}) {
      EXPECT_EQ(Trained(world, unsigned(world)), one) << every << " " << world;
    }
  }
}

TEST_F(LocalMode, GivesTheSameBitsWithBatchNormAveragesAndMicroBatches) {
  config_.net.net.options["batch_norm"] = true;
  config_.train.average = 0.9;
  config_.train.micro_batches = 2;
  config_.train.local.state = LocalState::kReset;
  EXPECT_EQ(Trained(1), Trained(3, 7));
}

TEST_F(LocalMode, IsDecidedByItsOptions) {
  std::set<std::string> all{Trained(1)};
  config_.train.local.every = 4;
  all.insert(Trained(1));
  config_.train.local.outer.momentum = 0;
  all.insert(Trained(1));
  config_.train.local.outer.rate = 1;
  all.insert(Trained(1));
  config_.train.local.state = LocalState::kReset;
  all.insert(Trained(1));
  config_.train.shards = 2;
  all.insert(Trained(1));
  config_.train.mode = TrainMode::kExact;
  all.insert(Trained(1));
  EXPECT_EQ(all.size(), 7u);
}

// Of one shard alone, a round of plain steps moves the weights as far as the steps themselves.
TEST_F(LocalMode, OfOneShardIsThatOfOneShardInExactMode) {
  config_.train.shards = 1;
  config_.train.local.outer = {};
  config_.train.epochs = 6;
  const double apart = Rmse();
  config_.train.mode = TrainMode::kExact;
  EXPECT_NEAR(apart, Rmse(), 1e-2);
}

// Labels deviate by 30.
TEST_F(LocalMode, LearnsNearlyAsWellAsExactMode) {
  config_.net.net.options["dropout"] = 0;
  config_.train.optimizer = Adam({.learning_rate = 0.01});
  config_.train.epochs = 40;
  config_.train.local = {.every = 5};
  const double apart = Rmse();
  config_.train.mode = TrainMode::kExact;
  EXPECT_LT(apart, Rmse() + 1);
}

TEST_F(LocalMode, KeepsFrozenParametersToTheBit) {
  config_.train.parameters = {{.name = "*", .rate = 0}};
  config_.train.shards = 3;  // Shares of a third, which no float holds.
  const std::string frozen = Trained(1);
  config_.train.epochs = 1;
  EXPECT_EQ(Trained(2), frozen);
}

TEST_F(LocalMode, GoesOnFromACheckpointToTheSameWeights) {
  config_.train.epochs = 40;
  config_.train.checkpoint.every_steps = 15;
  const std::string whole = Trained(2);
  Fresh("stopped");
  const auto input = Deal(960, 2, 0);
  RunAndStop(2, input, 30);
  config_.resume = true;
  EXPECT_EQ(RunToResult(3, Deal(960, 3, 1)).weights_sha256, whole);
}

TEST_F(LocalMode, NamesTheShardWhoseLossIsNotFinite) {
  config_.train.optimizer = Sgd({.learning_rate = 1e30});
  const Fault fault = FaultOf(Run(1, Deal(960, 1, 0)));
  EXPECT_EQ(fault.exit, Exit::kFailed) << Render(fault);
  EXPECT_THAT(fault.what, testing::HasSubstr("is not finite at step"));
  EXPECT_THAT(fault.what, testing::HasSubstr("shard 0 on rank 0"));
}

}  // namespace
}  // namespace protium
