// SPDX-License-Identifier: Apache-2.0
// Trainings of nets whose rows of ids servers hold: the last ranks.
#include <gmock/gmock.h>

#include "tasks/testing/train_task.h"

namespace protium {
namespace {

class TrainsWithServers : public TrainTaskTest {
 protected:
  TrainsWithServers() {
    config_.net.net = {"wide_and_deep", {{"hidden", {16, 8}}, {"dropout", 0.2}, {"embedding", 4}}};
    config_.net.categorical = {{.column = "c", .cardinality = 5},
                               {.column = "b", .cardinality = kAnyId}};
    config_.net.numeric = {"a"};
    config_.train.optimizer = Choice{"rowwise_adagrad", {{"learning_rate", 0.05}}};
  }
  TrainResult Train(int32_t workers, int32_t servers, unsigned shuffle = 0) {
    config_.servers = servers;
    return RunToResult(workers + servers, Deal(700, workers + servers, shuffle));
  }
  std::string Trained(int32_t workers, int32_t servers, unsigned shuffle = 0) {
    Fresh("run" + std::to_string(++runs_));
    return Train(workers, servers, shuffle).weights_sha256;
  }

 private:
  int runs_ = 0;
};

TEST_F(TrainsWithServers, GiveTheSameWeightsForAnyServersAndWorkers) {
  const std::string one = Trained(1, 0);
  for (const int32_t servers : {1, 2, 3}) {
    for (const int32_t workers : {1, 2, 3, 4}) {
      EXPECT_EQ(Trained(workers, servers, unsigned(workers)), one) << workers << " + " << servers;
    }
  }
}

// Without validation the weights are those of the last step.
TEST_F(TrainsWithServers, GiveTheSameWeightsAfterTheLastStep) {
  config_.held_out.clear();
  config_.train.epochs = 3;
  EXPECT_EQ(Trained(3, 2), Trained(1, 0));
}

TEST_F(TrainsWithServers, GiveTheSameWeightsWhereServersHaveNoRowOfAColumn) {
  config_.net.categorical = {{.column = "c", .cardinality = kAnyId},
                             {.column = "b", .cardinality = kAnyId}};
  EXPECT_EQ(Trained(2, 6), Trained(1, 0)) << "c has five values";
}

TEST_F(TrainsWithServers, GiveTheSameWeightsWithEachOptimizerOfRows) {
  for (const char* optimizer : {"sgd", "adagrad", "lazy_adam"}) {
    config_.train.optimizer = Choice{optimizer, {{"learning_rate", 0.02}}};
    EXPECT_EQ(Trained(2, 2), Trained(1, 0)) << optimizer;
  }
}

TEST_F(TrainsWithServers, GiveTheSameWeightsForEachNet) {
  for (const char* net : {"linear", "tabular_mlp", "factorization_machine", "dlrm", "tabm"}) {
    config_.net.net = {net, Json::object()};
    EXPECT_EQ(Trained(2, 2), Trained(1, 0)) << net;
  }
}

// All ranks compute the norm of all rows.
TEST_F(TrainsWithServers, GiveTheSameWeightsWithClippingAndMicroBatches) {
  config_.train.clip_norm = 0.05;
  config_.train.micro_batches = 3;
  EXPECT_EQ(Trained(3, 2), Trained(1, 0));
}

TEST_F(TrainsWithServers, MeasureAndReportTheSame) {
  config_.servers = 0;
  const TrainResult alone = RunToResult(1, Deal(700, 1, 0));
  Fresh("served");
  const TrainResult served = Train(2, 3);
  EXPECT_EQ(served.validation, alone.validation);
  EXPECT_EQ(served.importance, alone.importance);
  EXPECT_EQ(served.rows_identity, alone.rows_identity);
}

TEST_F(TrainsWithServers, GoOnWithAnotherNumberOfServers) {
  const std::string whole = Trained(1, 0);
  config_.train.checkpoint.every_steps = 3;
  for (const int32_t later : {0, 1, 3}) {
    Fresh("stopped" + std::to_string(later));
    config_.resume = false;
    config_.servers = 2;
    const int64_t stopped = RunAndStop(4, Deal(700, 4, 0), 3);
    config_.resume = true;
    EXPECT_EQ(Train(2, later, 4).weights_sha256, whole) << later;
    EXPECT_EQ(Events("train_start")[0]["step"], stopped);
  }
}

TEST_F(TrainsWithServers, GoOnWithServersAfterATrainingWithout) {
  const std::string whole = Trained(1, 0);
  Fresh("stopped");
  config_.servers = 0;
  config_.train.checkpoint.every_steps = 3;
  RunAndStop(2, Deal(700, 2, 0), 3);
  config_.resume = true;
  EXPECT_EQ(Train(1, 2).weights_sha256, whole);
}

TEST_F(TrainsWithServers, FailAlikeWhereAGradientIsNotFinite) {
  config_.train.optimizer = Choice{"sgd", {{"learning_rate", 1e30}}};
  config_.loss = {"mse", Json::object()};
  config_.servers = 2;
  const Fault fault = FaultOf(Run(4, Deal(700, 4, 0)));
  EXPECT_EQ(fault.exit, Exit::kFailed) << Render(fault);
  EXPECT_THAT(fault.what, testing::HasSubstr("is not finite at step"));
}

}  // namespace
}  // namespace protium
