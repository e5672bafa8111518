// SPDX-License-Identifier: Apache-2.0
// train.share_optimizer: ranks have a part of the optimiser's state each.
#include <gmock/gmock.h>

#include "tasks/testing/train_task.h"

namespace protium {
namespace {

class ShareOptimizer : public TrainTaskTest {
 protected:
  ShareOptimizer() {
    config_.train.optimizer = Adam({.learning_rate = 0.01});
    config_.train.epochs = 4;
  }
  std::string Trained(int32_t world, bool share) {
    Fresh(std::to_string(++runs_));
    config_.train.share_optimizer = share;
    return RunToResult(world, Deal(960, world, unsigned(world))).weights_sha256;
  }

 private:
  int runs_ = 0;
};

TEST_F(ShareOptimizer, GivesTheWeightsOfAnyWorkersWithoutIt) {
  config_.train.average = 0.9;
  const std::string expected = Trained(1, false);
  for (const int32_t world : {1, 2, 3, 4}) EXPECT_EQ(Trained(world, true), expected) << world;
}

// Its checkpoints are those of a whole optimiser.
TEST_F(ShareOptimizer, GoesOnWithOtherWorkersAndWithoutIt) {
  const std::string expected = Trained(2, false);
  config_.train.checkpoint.every_steps = 3;
  struct Way {
    int32_t before, after;
    bool shared_before, shared_after;
  };
  for (const Way& way : {Way{3, 2, true, true}, Way{2, 4, true, true}, Way{3, 1, true, false},
                         Way{1, 3, false, true}, Way{2, 2, true, false}}) {
    SCOPED_TRACE(testing::Message() << way.before << " to " << way.after);
    Fresh("stopped" + std::to_string(way.before) + std::to_string(way.after));
    config_.resume = false;
    config_.train.share_optimizer = way.shared_before;
    const int64_t stopped = RunAndStop(way.before, Deal(960, way.before, 0), 6);
    config_.resume = true;
    config_.train.share_optimizer = way.shared_after;
    EXPECT_EQ(RunToResult(way.after, Deal(960, way.after, 5)).weights_sha256, expected);
    EXPECT_EQ(Events("train_start")[0]["step"], stopped);
  }
}

}  // namespace
}  // namespace protium
