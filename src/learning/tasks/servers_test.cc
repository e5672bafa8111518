// SPDX-License-Identifier: Apache-2.0
// Trainings of nets whose rows of ids servers hold: the last ranks.
#include <gmock/gmock.h>

#include <filesystem>
#include <utility>

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
  // The next trainings begin with the weights of a short one.
  void BeginWithAModel() {
    const TrainResult model = RunToResult(1, Deal(40, 1, 0));
    StartOptions& from = config_.train.from;
    from.model = "the model";
    from.weights = model.weights;
    from.sha256 = model.weights_sha256;
    from.epochs = 2;
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

TEST_F(TrainsWithServers, GiveTheSameWeightsWithRoundedGradients) {
  const std::string exact = Trained(1, 0);
  config_.train.gradients = Precision::kBfloat16;
  const std::string rounded = Trained(1, 0);
  EXPECT_NE(rounded, exact);
  for (const int32_t servers : {1, 3}) EXPECT_EQ(Trained(3, servers, 5), rounded) << servers;
  config_.train.clip_norm = 0.05;
  EXPECT_EQ(Trained(2, 2), Trained(1, 0));
}

// Both as the weights of the best epoch and as those of the last one.
TEST_F(TrainsWithServers, GiveTheSameWeightsWithAverages) {
  config_.train.average = 0.9;
  const std::string best = Trained(1, 0);
  for (const int32_t servers : {1, 2, 3}) {
    EXPECT_EQ(Trained(servers == 1 ? 4 : 2, servers, 3), best) << servers;
  }
  config_.held_out.clear();
  EXPECT_EQ(Trained(3, 2), Trained(1, 0));
}

TEST_F(TrainsWithServers, GiveTheSameWeightsThatBeginWithThoseOfAModel) {
  BeginWithAModel();
  const std::string one = Trained(1, 0);
  for (const int32_t servers : {1, 3}) EXPECT_EQ(Trained(2, servers, 4), one) << servers;
  config_.train.from.parameters = {"deep.*"};
  EXPECT_EQ(Trained(3, 2), Trained(1, 0));
}

TEST_F(TrainsWithServers, RefuseOnAllRanksAModelThatDoesNotFit) {
  BeginWithAModel();
  config_.net.net.options["embedding"] = 5;
  config_.servers = 2;
  Fresh("refused");
  const Fault fault = FaultOf(Run(4, Deal(700, 4, 0)));
  EXPECT_THAT(fault.what, testing::HasSubstr("do not fit the net")) << Render(fault);
}

class KeepsRowsOnTheDisk : public TrainsWithServers {
 protected:
  // Of the memory for rows nothing is left when these are packed.
  void LeaveNoMemory() {
    config_.memory_bytes = 700 * MakeNetInputs(config_).rows.width();
    config_.scratch = (folder_.path() / "spill").string();
  }
  std::vector<std::string> NotesOfRows() {
    std::vector<std::string> notes;
    for (const Json& each : Events("note")) {
      const std::string text = each["message"];
      if (text.find("of rows of ids") != std::string::npos) notes.push_back(text);
    }
    return notes;
  }
};

TEST_F(KeepsRowsOnTheDisk, AndGivesTheSameWeights) {
  config_.train.average = 0.9;
  config_.train.epochs = 1;
  const std::string one = Trained(1, 0);
  LeaveNoMemory();
  for (const int32_t servers : {1, 3}) {
    EXPECT_EQ(Trained(2, servers, 3), one) << servers;
    ASSERT_EQ(NotesOfRows().size(), 1u);
    // 17 ids: of embeddings 4 floats, their averages and a sum; of weights one of each.
    EXPECT_THAT(NotesOfRows()[0], testing::StartsWith("816 bytes of rows of ids"));
    EXPECT_THAT(NotesOfRows()[0], testing::EndsWith("on the disk, in " + config_.scratch));
  }
  EXPECT_TRUE(std::filesystem::is_empty(config_.scratch)) << "no file has a name";
}

TEST_F(KeepsRowsOnTheDisk, AndGoesOnFromItsCheckpoints) {
  const std::string whole = Trained(1, 0);
  LeaveNoMemory();
  config_.train.checkpoint.every_steps = 5;
  Fresh("stopped");
  config_.servers = 2;
  RunAndStop(3, Deal(700, 3, 0), 5);
  config_.resume = true;
  EXPECT_EQ(Train(2, 1, 4).weights_sha256, whole);
}

TEST_F(KeepsRowsOnTheDisk, OnlyWhereTheyDoNotFit) {
  config_.memory_bytes = 1 << 20;
  config_.scratch = (folder_.path() / "spill").string();
  Trained(2, 1);
  EXPECT_TRUE(NotesOfRows().empty());
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

// The weights in training and their average travel both.
TEST_F(TrainsWithServers, GoOnWithAveragesAndAnotherNumberOfServers) {
  config_.train.average = 0.9;
  const std::string whole = Trained(1, 0);
  config_.train.checkpoint.every_steps = 3;
  for (const auto& [first, later] : {std::pair(2, 3), std::pair(2, 0), std::pair(0, 2)}) {
    Fresh("stopped" + std::to_string(first) + std::to_string(later));
    config_.resume = false;
    config_.servers = first;
    RunAndStop(2 + first, Deal(700, 2 + first, 0), 3);
    config_.resume = true;
    EXPECT_EQ(Train(1, later, 4).weights_sha256, whole) << first << " then " << later;
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
