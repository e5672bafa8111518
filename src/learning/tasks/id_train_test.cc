// SPDX-License-Identifier: Apache-2.0
// Trainings of nets that have a row for each id.
#include <gmock/gmock.h>

#include <set>

#include "tasks/testing/train_task.h"
#include "tensor/id_tables.h"

namespace protium {
namespace {

class TrainsOnIds : public TrainTaskTest {
 protected:
  TrainsOnIds() {
    config_.net.categorical = {{.column = "c", .cardinality = 5},
                               {.column = "b", .cardinality = kAnyId}};
    config_.net.numeric = {"a"};
    config_.train.optimizer = Choice{"rowwise_adagrad", {{"learning_rate", 0.05}}};
  }
  std::string Trained(int32_t world, unsigned shuffle = 0) {
    Fresh("run" + std::to_string(++runs_));
    return RunToResult(world, Deal(700, world, shuffle)).weights_sha256;
  }

 private:
  int runs_ = 0;
};

TEST_F(TrainsOnIds, GiveTheSameWeightsForAnyWorkersAndOrderOfRows) {
  std::set<std::string> all;
  for (const char* optimizer : {"rowwise_adagrad", "sgd", "adam"}) {
    config_.train.optimizer = Choice{optimizer, {{"learning_rate", 0.02}}};
    const std::string one = Trained(1);
    all.insert(one);
    for (const int32_t world : {2, 3, 4}) EXPECT_EQ(Trained(world, unsigned(world)), one) << world;
  }
  EXPECT_EQ(all.size(), 3u);
}

TEST_F(TrainsOnIds, GiveTheSameWeightsInLocalMode) {
  config_.train.mode = TrainMode::kLocal;
  config_.train.local.every = 3;
  EXPECT_EQ(Trained(3, 7), Trained(1));
}

TEST_F(TrainsOnIds, GoOnAfterAStopInMidEpochWithTheSameBits) {
  const std::string whole = Trained(2);
  Fresh("stopped");
  config_.train.checkpoint.every_steps = 3;
  const int64_t stopped = RunAndStop(2, Deal(700, 2, 0), 3);
  config_.resume = true;
  EXPECT_EQ(RunToResult(3, Deal(700, 3, 4)).weights_sha256, whole);
  EXPECT_EQ(Events("train_start")[0]["step"], stopped);
}

// 17 values of b, of which the training rows have all.
TEST_F(TrainsOnIds, StoreARowForEachIdOfTheTrainingRows) {
  const TrainResult result = RunToResult(2, Deal(700, 2, 0));
  const Safetensors file = Safetensors::Read(result.weights).ValueOrDie();
  const auto ids = IdTables::Read(file, 1, "").ValueOrDie();
  EXPECT_EQ(ids->seed, 5u);
  ASSERT_EQ(ids->columns[0].count(), 17);
  for (uint64_t b = 0; b < 17; ++b) EXPECT_EQ(ids->columns[0].Find(b), int32_t(b));
  EXPECT_EQ(file.Find("embedding.1.weight")->shape, (std::vector<int64_t>{17, 16}));
}

TEST_F(TrainsOnIds, LearnWhatIdsSay) {
  config_.train.epochs = 20;
  config_.train.batch_size = 32;
  const TrainResult result = RunToResult(1, Deal(2000, 1, 0));
  EXPECT_LT(result.validation["rmse"].get<double>(),
            result.history[0]["validation"]["rmse"].get<double>() / 2);
}

}  // namespace
}  // namespace protium
