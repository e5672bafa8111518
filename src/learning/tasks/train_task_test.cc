// SPDX-License-Identifier: Apache-2.0
// The life of a training: the same bits for any number of ranks, stop and resume, checkpoints.
#include "tasks/testing/train_task.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "os/file_size_limit.h"

namespace protium {
namespace {

using testing::HasSubstr;

TEST_F(TrainTaskTest, GivesTheSameWeightsForAnyWorkersAndOrderOfRows) {
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

TEST_F(TrainTaskTest, LearnsAndKeepsTheBestEpoch) {
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

TEST_F(TrainTaskTest, GoesOnAfterAStopInMidEpochWithTheSameBits) {
  const TrainResult whole = RunToResult(2, Deal(700, 2, 0));
  Fresh("stopped");
  config_.train.checkpoint.every_steps = 3;
  const int64_t stopped = RunAndStop(2, Deal(700, 2, 0), 3);
  config_.resume = true;
  const TrainResult resumed = RunToResult(3, Deal(700, 3, 4));
  EXPECT_EQ(Events("train_start")[0]["step"], stopped);
  EXPECT_EQ(resumed.weights_sha256, whole.weights_sha256);
  EXPECT_EQ(resumed.steps, whole.steps);
  EXPECT_EQ(RunToResult(1, Deal(700, 1, 4)).weights_sha256, whole.weights_sha256);
}

TEST_F(TrainTaskTest, GivesTheSameWeightsFromTheDisk) {
  const TrainResult memory = RunToResult(1, Deal(700, 1, 0));
  EXPECT_EQ(memory.disk_bytes, 0);
  config_.scratch = (folder_.path() / "scratch").string();
  // A row takes 20 bytes.
  for (const int64_t budget : {1, 1000, 5000}) {
    config_.memory_bytes = budget;
    for (const int32_t world : {1, 2, 3}) {
      Fresh("disk" + std::to_string(budget) + "-" + std::to_string(world));
      const TrainResult disk = RunToResult(world, Deal(700, world, unsigned(world) + 6));
      EXPECT_EQ(disk.weights_sha256, memory.weights_sha256) << budget << " " << world;
      EXPECT_EQ(disk.validation, memory.validation) << budget << " " << world;
      EXPECT_EQ(disk.importance, memory.importance) << budget << " " << world;
      EXPECT_GT(disk.disk_bytes, 0) << budget << " " << world;
      EXPECT_EQ(Events("note").size(), 1u);
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(config_.scratch));
}

TEST_F(TrainTaskTest, GoesOnFromTheDiskAfterAStopInMidEpochWithTheSameBits) {
  const TrainResult whole = RunToResult(2, Deal(700, 2, 0));
  Fresh("stopped");
  config_.memory_bytes = 2000;
  config_.scratch = folder_.path().string();
  config_.train.checkpoint.every_steps = 3;
  const int64_t stopped = RunAndStop(2, Deal(700, 2, 0), 3);
  config_.resume = true;
  config_.memory_bytes = 3000;
  EXPECT_EQ(RunToResult(3, Deal(700, 3, 4)).weights_sha256, whole.weights_sha256);
  EXPECT_EQ(Events("train_start")[0]["step"], stopped);
}

TEST_F(TrainTaskTest, GoesBackToTheNewestWholeCheckpointAndSaysSo) {
  const TrainResult whole = RunToResult(2, Deal(700, 2, 0));
  Fresh("damaged");
  config_.train.checkpoint.every_steps = 3;
  const int64_t stopped = RunAndStop(2, Deal(700, 2, 0), 3);
  const std::string newest = fmt::format("step-{:09}", stopped);
  const int64_t before = (stopped - 1) / 3 * 3;
  const std::string other = fmt::format("step-{:09}", before);
  const std::filesystem::path folder = config_.folder;
  ASSERT_TRUE(std::filesystem::exists(folder / other));
  std::filesystem::copy_file(folder / other / "weights.safetensors",
                             folder / newest / "weights.safetensors",
                             std::filesystem::copy_options::overwrite_existing);
  config_.resume = true;
  const TrainResult resumed = RunToResult(2, Deal(700, 2, 0));
  EXPECT_EQ(Events("train_start")[0]["step"], before);
  ASSERT_EQ(Events("warning").size(), 1u);
  EXPECT_THAT(Events("warning")[0]["message"].get<std::string>(),
              testing::AllOf(HasSubstr(newest + ": weights.safetensors is damaged"),
                             HasSubstr("training continues from"), HasSubstr(other)));
  EXPECT_EQ(resumed.weights_sha256, whole.weights_sha256);
}

TEST_F(TrainTaskTest, RefusesToResumeWithOtherRowsOrOptions) {
  RunToResult(1, Deal(700, 1, 0));
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).what, HasSubstr("checkpoints of another run"));
  config_.resume = true;
  const Fault rows = FaultOf(Run(1, Deal(690, 1, 0)));
  EXPECT_THAT(rows.what, HasSubstr("input changed: the checkpoint was made with 630 rows, now "
                                   "there are 621"));
  config_.train.seed = 6;
  EXPECT_THAT(FaultOf(Run(1, Deal(700, 1, 0))).what, HasSubstr("options changed"));
}

TEST_F(TrainTaskTest, ANotFiniteLossNamesTheStepAndKeepsTheCheckpoint) {
  config_.loss = {"mse"};
  config_.train.optimizer = Choice{"sgd", {{"learning_rate", 1e20}}};
  config_.train.checkpoint.every_steps = 1;
  const Fault fault = FaultOf(Run(2, Deal(700, 2, 0)));
  EXPECT_THAT(fault.what, HasSubstr("is not finite at step"));
  EXPECT_FALSE(Events("checkpoint").empty());
  EXPECT_TRUE(std::filesystem::exists(std::string(Events("checkpoint").back()["path"]) +
                                      "/weights.safetensors"));
}

TEST_F(TrainTaskTest, TrainsOnFewerRowsThanShards) {
  config_.held_out.clear();
  config_.train.best = "mae";
  const TrainResult one = RunToResult(1, Deal(2, 1, 0));
  EXPECT_EQ(one.rows, 2);
  EXPECT_EQ(one.best_epoch, 0);
  Fresh("other");
  EXPECT_EQ(RunToResult(4, Deal(2, 4, 0)).weights_sha256, one.weights_sha256);
}

TEST_F(TrainTaskTest, RefusesWhatCannotBeTrained) {
  EXPECT_THAT(FaultOf(Run(2, Deal(0, 2, 0))).what, HasSubstr("no row"));
  config_.held_out.clear();
  EXPECT_THAT(FaultOf(Run(2, Deal(0, 2, 0))).what, HasSubstr("no rows to train on"));
  EXPECT_THAT(FaultOf(Run(5, Deal(700, 5, 0))).fix, HasSubstr("train.shards = 5"));
  config_.net.categorical[0].cardinality = 4;
  EXPECT_THAT(FaultOf(Run(2, Deal(700, 2, 0))).what, HasSubstr("column c holds category 4"));
}

// Each of the four shards has one row left for the second of two steps.
TEST_F(TrainTaskTest, LeavesOutSingleRowsOfTheLastStepWithBatchNorm) {
  config_.net.net.options["batch_norm"] = true;
  config_.held_out.clear();
  const TrainResult one = RunToResult(1, Deal(64 + 2, 1, 0));
  EXPECT_EQ(one.rows, 66);
  const auto notes = Events("note");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0]["message"],
            "the last step of every epoch leaves 4 rows out: batch norm needs 2 of a shard");
  Fresh("four");
  EXPECT_EQ(RunToResult(4, Deal(64 + 2, 4, 0)).weights_sha256, one.weights_sha256);
}

TEST_F(TrainTaskTest, RefusesOneRowStepsWithBatchNorm) {
  config_.net.net.options["batch_norm"] = true;
  config_.held_out.clear();
  EXPECT_THAT(FaultOf(Run(2, Deal(4, 2, 0))).what, HasSubstr("gives shard"));
  EXPECT_TRUE(Run(2, Deal(64 * 3, 2, 0)).ok());
  config_.train.micro_batches = 9;
  EXPECT_THAT(FaultOf(Run(2, Deal(64 * 3, 2, 0))).what,
              HasSubstr("rows in 9 parts, but batch norm needs 2 in each"));
}

TEST_F(TrainTaskTest, ACheckpointThatDoesNotFitLeavesTheOneBefore) {
  config_.train.checkpoint.every_steps = 4;
  std::optional<FileSizeLimit> limit;
  on_event_ = [&](const Json& event) {
    if (event["event"] == "checkpoint" && !limit) limit.emplace(1000);
  };
  const Fault fault = FaultOf(Run(2, Deal(700, 2, 0)));
  limit.reset();
  EXPECT_THAT(fault.what, HasSubstr("bytes to " + config_.folder));
  EXPECT_THAT(fault.kept, HasSubstr("the checkpoint " + config_.folder + "/step-"));
  on_event_ = nullptr;
  config_.resume = true;
  EXPECT_EQ(RunToResult(2, Deal(700, 2, 0)).steps, 20);
}

}  // namespace
}  // namespace protium
