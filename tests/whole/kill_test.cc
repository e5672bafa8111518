// SPDX-License-Identifier: Apache-2.0
// Runs that are killed, stalled, stopped and resumed end with exactly the weights of an undisturbed
// run.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <random>

#include "whole/flights.h"
#include "whole/live_run.h"

namespace protium::whole {

namespace fs = std::filesystem;
using std::chrono::seconds;

namespace {

constexpr int kRows = 6000;
const std::vector<std::string> kSettings = {"train.epochs=6", "train.batch_size=128",
                                            "train.checkpoint.every_steps=20"};

std::vector<std::string> With(std::vector<std::string> more) {
  return Joined(std::move(more), kSettings);
}

// The weights of the undisturbed run, made once.
const std::string& Undisturbed() {
  static const std::string weights = WeightsOfRun(kRows, kSettings);
  return weights;
}

Outcome ListOfRuns(const Scratch& scratch) {
  Running command({ProtiumCommand(), "runs", "list", "--json", "--runs-dir",
                   (scratch.path() / "runs").string()},
                  scratch.path());
  return command.Wait();
}

Outcome Resume(const Scratch& scratch, const std::vector<std::string>& more = {}) {
  std::vector<std::string> argv = {ProtiumCommand(), "resume", OnlyRun(scratch).string(), "--json"};
  argv.insert(argv.end(), more.begin(), more.end());
  Running command(argv, scratch.path());
  return command.Wait();
}

}  // namespace

TEST(KilledRank, WithoutRestartsEndsWithOneCauseAndResumesToTheSameBits) {
  ASSERT_FALSE(Undisturbed().empty());
  std::mt19937 random(11);
  for (int rank = 0; rank < 2; ++rank) {
    const Scratch scratch;
    Running command(FlightsCommand(scratch, ExampleTables(kRows), With({"gang.max_restarts=0"})),
                    scratch.path());
    ASSERT_TRUE(AwaitStep(command, scratch, 5 + int64_t(random() % 60)));
    ASSERT_TRUE(SignalRank(scratch, rank, SIGKILL));
    const Outcome failed = command.Wait(seconds(30));
    EXPECT_EQ(failed.exit, 1) << failed.err;
    EXPECT_NE(failed.err.find("rank " + std::to_string(rank)), std::string::npos) << failed.err;
    EXPECT_NE(failed.err.find("resume"), std::string::npos) << failed.err;
    EXPECT_TRUE(command.Descendants().empty());
    const Outcome resumed = Resume(scratch);
    ASSERT_EQ(resumed.exit, 0) << resumed.err;
    EXPECT_EQ(ModelWeights(resumed, scratch), Undisturbed()) << "rank " << rank;
  }
}

TEST(KilledRank, IsRestartedByItselfToTheSameBits) {
  std::mt19937 random(12);
  for (int rank = 0; rank < 2; ++rank) {
    const Scratch scratch;
    Running command(FlightsCommand(scratch, ExampleTables(kRows), With({"gang.max_restarts=2"})),
                    scratch.path());
    ASSERT_TRUE(AwaitStep(command, scratch, 5 + int64_t(random() % 60)));
    ASSERT_TRUE(SignalRank(scratch, rank, SIGKILL));
    const Outcome run = command.Wait();
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(ModelWeights(run, scratch), Undisturbed()) << "rank " << rank;
  }
}

// Early stopping is decided right after the validation is reported. The importance of columns on
// many rows makes the rest take a while; if the kill still comes too late, it is tried again.
TEST(KilledRank, WhereTrainingEndsEarlyIsRestartedToTheSameBits) {
  constexpr int kMore = 5 * kRows;
  const std::vector<std::string> settings =
      With({"train.early_stopping={patience=1, least=1000}", "train.validation.share=0.4",
            "train.validation.importance_rows=100000", "gang.max_restarts=2"});
  const Scratch quiet;
  const Outcome undisturbed = RunFlights(quiet, ExampleTables(kMore), settings);
  ASSERT_EQ(undisturbed.exit, 0) << undisturbed.err;
  ASSERT_NE(undisturbed.err.find("training ends after epoch 2 of 6"), std::string::npos)
      << undisturbed.err;
  const auto last = undisturbed.json["steps"].get<int64_t>();
  for (int rank = 0; rank < 2; ++rank) {
    bool restarted = false;
    for (int tries = 0; tries < 5 && !restarted; ++tries) {
      const Scratch scratch;
      Running command(FlightsCommand(scratch, ExampleTables(kMore), settings), scratch.path());
      if (AwaitStep(command, scratch, last)) (void)SignalRank(scratch, rank, SIGKILL);
      const Outcome run = command.Wait();
      ASSERT_EQ(run.exit, 0) << run.err;
      EXPECT_EQ(run.json["steps"], last);
      EXPECT_EQ(ModelWeights(run, scratch), ModelWeights(undisturbed, quiet)) << "rank " << rank;
      restarted = LastEventValue(OnlyRun(scratch), "restarts_left") == 1;
    }
    EXPECT_TRUE(restarted) << "rank " << rank << " was never killed in time";
  }
}

TEST(StoppedRank, IsNamedWithinItsDeadline) {
  const Scratch scratch;
  Running command(FlightsCommand(scratch, ExampleTables(kRows),
                                 With({"gang.max_restarts=0", "gang.deadline=3"})),
                  scratch.path());
  ASSERT_TRUE(AwaitStep(command, scratch, 10));
  ASSERT_TRUE(SignalRank(scratch, 1, SIGSTOP));
  const Outcome failed = command.Wait(seconds(20));
  EXPECT_NE(failed.exit, 0);
  EXPECT_NE(failed.exit, -1000) << "the driver still waits";
  EXPECT_NE(failed.err.find("rank 1"), std::string::npos) << failed.err;
  EXPECT_TRUE(command.Descendants().empty());
}

// Those that have fitted the stages wait to score. They lose nothing.
TEST(StoppedWorker, ThatIsNoRankDoesNotEndTheRun) {
  const Scratch scratch;
  Running command(FlightsCommand(scratch, ExampleTables(kRows), With({"gang.deadline=5"})),
                  scratch.path());
  ASSERT_TRUE(AwaitStep(command, scratch, 10));
  int stopped = 0;
  for (const pid_t each : command.Descendants()) {
    if (each == PidOfRank(scratch, 0) || each == PidOfRank(scratch, 1)) continue;
    stopped += ::kill(each, SIGSTOP) == 0 ? 1 : 0;
  }
  ASSERT_GT(stopped, 0);
  const Outcome run = command.Wait(seconds(50));
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(ModelWeights(run, scratch), Undisturbed());
  EXPECT_TRUE(command.Descendants().empty());
}

TEST(KilledDriver, LeavesNoWorkerAfterASecondAndResumesToTheSameBits) {
  const Scratch scratch;
  Running command(FlightsCommand(scratch, ExampleTables(kRows), With({})), scratch.path());
  ASSERT_TRUE(AwaitStep(command, scratch, 30));
  const std::vector<pid_t> workers = command.Descendants();
  ASSERT_FALSE(workers.empty());
  command.Signal(SIGKILL);
  EXPECT_EQ(command.Wait().exit, -SIGKILL);
  EXPECT_TRUE(EndWithin(workers, seconds(1)));
  EXPECT_TRUE(command.Descendants().empty());
  const Outcome resumed = Resume(scratch);
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(ModelWeights(resumed, scratch), Undisturbed());
}

TEST(Interrupt, SavesACheckpointSaysHowToGoOnAndResumesToTheSameBits) {
  const Scratch scratch;
  Running command(FlightsCommand(scratch, ExampleTables(kRows), With({})), scratch.path());
  ASSERT_TRUE(AwaitStep(command, scratch, 25));
  command.Signal(SIGINT);
  const Outcome stopped = command.Wait(seconds(30));
  EXPECT_EQ(stopped.exit, 75) << stopped.err;
  EXPECT_NE(stopped.err.find("protium resume"), std::string::npos) << stopped.err;
  EXPECT_TRUE(command.Descendants().empty());
  const Outcome list = ListOfRuns(scratch);
  ASSERT_EQ(list.json.size(), 1u) << list.out;
  EXPECT_EQ(list.json[0]["state"], "stopped");
  EXPECT_GE(list.json[0]["progress"]["step"].get<int64_t>(), 25) << list.out;
  EXPECT_GT(list.json[0]["progress"]["checkpoint"].get<int64_t>(), 0) << list.out;
  const Outcome resumed = Resume(scratch);
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(ModelWeights(resumed, scratch), Undisturbed());
}

// The only checkpoint is in the middle of an epoch, and names weights of an earlier epoch.
TEST(Resume, GoesOnWhereTheBestWeightsAreDamagedAndSaysWhatIsLost) {
  const Scratch scratch;
  Running command(FlightsCommand(scratch, ExampleTables(kRows), With({"train.keep=1"})),
                  scratch.path());
  ASSERT_TRUE(AwaitEvents(command, scratch, "epoch", 2));
  command.Signal(SIGINT);
  ASSERT_EQ(command.Wait(seconds(30)).exit, 75);
  for (const auto& best : fs::directory_iterator(OnlyRun(scratch) / "checkpoints" / "best")) {
    std::fstream file(best.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(-3, std::ios::end);
    const char byte = char(file.peek() ^ 1);
    file.seekp(-3, std::ios::end);
    file.put(byte);
  }
  const Outcome resumed = Resume(scratch);
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("the best so far, are lost"), std::string::npos) << resumed.err;
  EXPECT_NE(resumed.err.find("may have other weights than that of a run left alone"),
            std::string::npos)
      << resumed.err;
}

TEST(Resume, RefusesInputThatChanged) {
  const Scratch scratch;
  const fs::path tables = scratch.path() / "tables";
  fs::copy(ExampleTables(kRows), tables);
  Running command(FlightsCommand(scratch, tables, With({})), scratch.path());
  ASSERT_TRUE(AwaitStep(command, scratch, 10));
  command.Signal(SIGKILL);
  command.Wait();
  const std::string text = ReadText(tables / "flights.csv");
  std::ofstream(tables / "flights.csv") << text.substr(0, text.rfind('\n', text.size() - 2) + 1);
  const Outcome refused = Resume(scratch);
  EXPECT_TRUE(refused.exit == 2 || refused.exit == 3) << refused.exit << refused.err;
  EXPECT_NE(refused.err.find("flights.csv"), std::string::npos) << refused.err;
}

TEST(Resume, RefusesAFolderThatAnotherJobUses) {
  const Scratch scratch;
  Running command(FlightsCommand(scratch, ExampleTables(kRows), With({})), scratch.path());
  ASSERT_TRUE(AwaitStep(command, scratch, 5));
  const Outcome refused = Resume(scratch);
  EXPECT_NE(refused.exit, 0);
  EXPECT_NE(refused.err.find("in use"), std::string::npos) << refused.err;
  EXPECT_EQ(command.Wait().exit, 0);
}

TEST(NotANumber, StopsTheRunNamesTheStepAndKeepsTheLastGoodCheckpoint) {
  const Scratch scratch;
  const Outcome failed = RunFlights(
      scratch, ExampleTables(kRows),
      With({"train.optimizer={name=\"sgd\", learning_rate=1e12}", "gang.max_restarts=2"}));
  EXPECT_EQ(failed.exit, 1) << failed.err;
  EXPECT_NE(failed.err.find("step"), std::string::npos) << failed.err;
  EXPECT_NE(failed.err.find("is not finite"), std::string::npos) << failed.err;
}

TEST(NotANumber, InTheFirstEpochKeepsNoCheckpointAndClaimsNone) {
  const Scratch scratch;
  const Outcome failed =
      RunFlights(scratch, ExampleTables(kRows),
                 {"train.batch_size=128", "train.optimizer={name=\"sgd\", learning_rate=1e12}",
                  "train.checkpoint.every_seconds=0"});
  EXPECT_EQ(failed.exit, 1) << failed.err;
  EXPECT_NE(failed.err.find("is not finite"), std::string::npos) << failed.err;
  EXPECT_EQ(failed.err.find("kept:"), std::string::npos) << failed.err;
}

}  // namespace protium::whole
