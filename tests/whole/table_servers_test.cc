// SPDX-License-Identifier: Apache-2.0
// Jobs whose rows of ids servers hold ([gang] servers) end with the weights of jobs without, also
// when servers and workers are killed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>
#include <vector>

#include "base/call.h"
#include "base/fault.h"
#include "whole/flights.h"
#include "whole/live_run.h"
#include "whole/own_job.h"
#include "whole/small_disk.h"

namespace protium::whole {

using std::chrono::seconds;
using testing::HasSubstr;

namespace {

constexpr const char* kIdsJob = R"(name = "machines"
[tables]
machines = { csv = "machines.csv" }
[etl]
sql = "SELECT *, id % 701 AS part FROM machines"
[[pipeline]]
kind = "id"
id = "ids"
inputs = ["kind", "part"]
[[pipeline]]
kind = "torch_estimator"
net = { name = "wide_and_deep", embedding = 8 }
categorical = [{ stage = "ids" }]
numeric = ["age"]
label = "hours"
[train]
epochs = 8
batch_size = 64
optimizer = { name = "rowwise_adagrad", learning_rate = 0.05 }
checkpoint = { every_steps = 50 }
)";

class Served {
 public:
  explicit Served(const std::vector<std::string>& settings)
      : command_(Prepared(settings), scratch_.path()) {}

  Running& command() { return command_; }
  const Scratch& scratch() const { return scratch_; }
  Outcome Resume(const std::vector<std::string>& settings) const {
    std::vector<std::string> argv = {ProtiumCommand(), "resume", OnlyRun(scratch_).string(),
                                     "--json"};
    for (const std::string& each : settings) argv.insert(argv.end(), {"--set", each});
    Running command(argv, scratch_.path());
    return command.Wait();
  }
  std::string Weights() {
    const Outcome run = command_.Wait();
    EXPECT_EQ(run.exit, 0) << run.err;
    return ModelWeights(run, scratch_);
  }

 private:
  std::vector<std::string> Prepared(const std::vector<std::string>& settings) const {
    std::ofstream(scratch_.path() / "machines.csv") << MachinesTable(3000);
    std::ofstream(scratch_.path() / "job.toml") << kIdsJob;
    std::vector<std::string> argv = {
        ProtiumCommand(), "run",        (scratch_.path() / "job.toml").string(),
        "--json",         "--runs-dir", (scratch_.path() / "runs").string()};
    for (const std::string& each : settings) argv.insert(argv.end(), {"--set", each});
    return argv;
  }

  Scratch scratch_;
  Running command_;
};

// The hash of a run without servers, made once.
const std::string& Alone() {
  static const std::string weights = Served({"gang.workers=1"}).Weights();
  return weights;
}

// Long enough for some deaths.
constexpr const char* kLong = "train.epochs=40";

const std::string& LongAlone() {
  static const std::string weights = Served({"gang.workers=1", kLong}).Weights();
  return weights;
}

}  // namespace

TEST(TableServers, ChangeNoBit) {
  ASSERT_FALSE(Alone().empty());
  for (const char* servers : {"1", "2", "3"}) {
    Served run({"gang.workers=2", "gang.servers=" + std::string(servers)});
    EXPECT_EQ(run.Weights(), Alone()) << servers;
    const Json started = EventsNamed(run.scratch(), "gang_start").at(0);
    EXPECT_EQ(std::to_string(started["servers"].get<int>()), servers);
  }
}

TEST(TableServers, KeepOnTheDiskWhatDoesNotFitAndLeaveNothingThere) {
  const Scratch spill;
  Served run({"gang.workers=1", "gang.servers=2", "gang.max_restarts=2", "engine.rows_memory=1KiB",
              "engine.spill=\"" + spill.path().string() + "\""});
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 150));
  ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGKILL));
  EXPECT_EQ(run.Weights(), Alone());
  std::string said;
  for (const Json& each : EventsNamed(run.scratch(), "note")) said += each["message"];
  EXPECT_THAT(said, HasSubstr("do not fit engine.rows_memory (1 KiB): 2 servers keep them on the "
                              "disk, in " +
                              spill.path().string()));
  EXPECT_TRUE(std::filesystem::is_empty(spill.path()));
}

// 84 kB of packed rows fit, 31 kB of rows of ids do not.
TEST(TableServers, EndARunThatGoesOnWithMoreRoomOnTheDisk) {
  if (!SmallDisk::WhyNot().empty()) GTEST_SKIP() << SmallDisk::WhyNot();
  const Scratch spill;
  const SmallDisk disk(spill.path() / "disk", 16 << 10);
  Served run({"gang.workers=1", "gang.servers=1", "engine.rows_memory=105KiB",
              "engine.spill=\"" + disk.path().string() + "\""});
  const Outcome full = run.command().Wait(seconds(30));
  EXPECT_EQ(full.exit, int(Exit::kNoRoom)) << full.err;
  EXPECT_THAT(full.err, HasSubstr("no room on the disk for"));
  EXPECT_THAT(full.err, HasSubstr("choose a folder on a larger disk (engine.spill)"));
  EXPECT_THAT(run.command().Descendants(), testing::IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(disk.path()));
  disk.Resize(1 << 20);
  const Outcome resumed = run.Resume({});
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(ModelWeights(resumed, run.scratch()), Alone());
}

// From the death of a rank until all go on, in milliseconds.
double KillAndAwaitTheNextStep(Served& run, int rank) {
  const size_t entered = EventsNamed(run.scratch(), "gang_entered").size();
  const auto killed = Clock::now();
  EXPECT_TRUE(SignalRank(run.scratch(), rank, SIGKILL)) << rank;
  EXPECT_TRUE(AwaitEvents(run.command(), run.scratch(), "gang_entered", entered + 1)) << rank;
  return std::chrono::duration<double, std::milli>(Clock::now() - killed).count();
}

// Kills these ranks, one after another, at any moment of a step.
void KillAll(Served& run, const std::vector<int>& ranks, unsigned seed,
             std::vector<double>& pauses) {
  std::mt19937 random(seed);
  int64_t step = 20;
  for (const int rank : ranks) {
    step = std::max(step, LastEventValue(OnlyRun(run.scratch()), "step")) + 100 +
           int64_t(random() % 150);
    ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), step));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    pauses.push_back(KillAndAwaitTheNextStep(run, rank));
  }
}

// That nothing of it was repeated from a checkpoint, and nobody is left.
void ExpectNoRestart(Served& run, size_t taken) {
  EXPECT_TRUE(EventsNamed(run.scratch(), "restart").empty());
  EXPECT_EQ(EventsNamed(run.scratch(), "rank_taken_over").size(), taken);
  EXPECT_THAT(run.command().Descendants(), testing::IsEmpty());
}

TEST(TableServers, AreTakenOverWithinAStepAndSoAreWorkers) {
  std::vector<double> pauses;
  unsigned seed = 0;
  for (const std::vector<int>& ranks :
       {std::vector{2, 3, 2, 3}, std::vector{1, 2, 1, 3}, std::vector{3, 1, 2, 2}}) {
    Served run({"gang.workers=2", "gang.servers=2", "gang.max_restarts=0", kLong});
    KillAll(run, ranks, ++seed, pauses);
    EXPECT_EQ(run.Weights(), LongAlone());
    ExpectNoRestart(run, ranks.size());
  }
  std::ranges::sort(pauses);
  const double median = pauses[pauses.size() / 2];
  fmt::print("{} deaths: {:.0f} ms until the next step in the middle, {:.0f} ms at most\n",
             pauses.size(), median, pauses.back());
  EXPECT_LE(median, 300);
}

TEST(TableServers, AreTakenOverWithRowsOnTheDiskAndWithoutOneToSpare) {
  const Scratch spill;
  Served run({"gang.workers=2", "gang.servers=2", "gang.max_restarts=0", "engine.rows_memory=1KiB",
              "engine.spill=\"" + spill.path().string() + "\"", kLong});
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 150));
  for (const int rank : {2, 3, 1}) ASSERT_TRUE(SignalRank(run.scratch(), rank, SIGKILL));
  EXPECT_EQ(run.Weights(), LongAlone());
  ExpectNoRestart(run, 3);
  EXPECT_TRUE(std::filesystem::is_empty(spill.path()));
}

TEST(TableServers, AreTakenOverWhereOneHangs) {
  Served run({"gang.workers=1", "gang.servers=2", "gang.max_restarts=0", "gang.deadline=1", kLong});
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 150));
  ASSERT_TRUE(SignalRank(run.scratch(), 2, SIGSTOP));
  EXPECT_EQ(run.Weights(), LongAlone());
  ExpectNoRestart(run, 1);
  EXPECT_TRUE(EventsNamed(run.scratch(), "rank_taken_over")[0]["server"]);
}

TEST(TableServers, AreStartedAgainWithTheGangAfterTheDeathOfRank0) {
  Served run({"gang.workers=2", "gang.servers=1", "gang.max_restarts=2"});
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 150));
  ASSERT_TRUE(SignalRank(run.scratch(), 0, SIGKILL));
  EXPECT_EQ(run.Weights(), Alone());
  EXPECT_EQ(EventsNamed(run.scratch(), "restart").size(), 1u);
}

// Averages are not put back, so nobody takes over.
TEST(TableServers, AreNamedWhereOneDiesAndTheRunIsResumedWithOthers) {
  const std::string alone = Served({"gang.workers=1", "train.average=0.9"}).Weights();
  Served run({"gang.workers=1", "gang.servers=2", "gang.max_restarts=0", "train.average=0.9"});
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 150));
  ASSERT_TRUE(SignalRank(run.scratch(), 2, SIGKILL));
  const Outcome failed = run.command().Wait(seconds(30));
  EXPECT_EQ(failed.exit, 1) << failed.err;
  EXPECT_THAT(failed.err, HasSubstr("rank 2, a server,"));
  EXPECT_TRUE(run.command().Descendants().empty());
  const Outcome resumed = run.Resume({"gang.servers=1"});
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(ModelWeights(resumed, run.scratch()), alone);
}

TEST(TableServers, TakeGradientsAsTheyComeAndSayWhatThatMeans) {
  Served run({"gang.workers=2", "gang.servers=2", "train.mode=\"server\"", "train.staleness=1"});
  EXPECT_FALSE(run.Weights().empty());
  const std::vector<Json> rounds = EventsNamed(run.scratch(), "servers_stepped");
  ASSERT_FALSE(rounds.empty());
  for (const Json& each : rounds) {
    EXPECT_EQ(each["bound"], 1);
    EXPECT_LE(each["most_ahead"], 1);
  }
  const Json training = EventsNamed(run.scratch(), "pipeline").at(0)["training"];
  EXPECT_EQ(training["staleness"], 1);
}

TEST(TableServers, OfStepsApartGoOnFromACheckpointAfterADeath) {
  Served run({"gang.workers=2", "gang.servers=1", "gang.max_restarts=1", "train.mode=\"server\"",
              "train.staleness=\"none\""});
  ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), "checkpoint", 1));
  ASSERT_TRUE(SignalRank(run.scratch(), 2, SIGKILL));
  EXPECT_FALSE(run.Weights().empty());
  EXPECT_EQ(EventsNamed(run.scratch(), "restart").size(), 1u);
  const Json begun = EventsNamed(run.scratch(), "train_start").back();
  EXPECT_GE(begun["step"], 50) << "of the checkpoint";
}

TEST(TableServers, AreRefusedWhereTheyWouldHoldNothingOrAreNotBuilt) {
  const auto said = [](const std::vector<std::string>& settings) {
    Served run(settings);
    const Outcome refused = run.command().Wait();
    EXPECT_EQ(refused.exit, 2) << refused.err;
    return refused.err;
  };
  EXPECT_THAT(said({"gang.servers=1", "train.optimizer=\"adam\""}),
              HasSubstr("only rows that a step reads"));
  EXPECT_THAT(said({"gang.servers=1", "train.mode=\"local\""}),
              HasSubstr("steps of the mode \"local\" are not made"));
  EXPECT_THAT(said({"gang.servers=1", "gang.workers={min=1,max=2}"}), HasSubstr("is a range"));
  EXPECT_THAT(said({"train.mode=\"server\"", "train.staleness=2"}),
              HasSubstr("mode \"server\" needs servers, and gang.servers is 0"));
  EXPECT_THAT(said({"gang.servers=1", "train.staleness=2"}),
              HasSubstr("train.staleness must be left out unless mode is \"server\""));
  const std::vector<std::string> apart = {"gang.servers=1", "train.mode=\"server\"",
                                          "train.staleness=\"none\""};
  const auto with = [&](const char* setting) {
    std::vector<std::string> settings = apart;
    settings.push_back(setting);
    return said(settings);
  };
  EXPECT_THAT(with("train.average=0.9"), HasSubstr("weights are not averaged"));
  EXPECT_THAT(with("train.gradients=\"bfloat16\""), HasSubstr("gradients are not rounded"));
  EXPECT_THAT(with("train.staleness=\"some\""),
              HasSubstr("a whole number from 0 to 1000000, or \"none\""));
  EXPECT_THAT(said({"gang.servers=1", "train.share_optimizer=true"}),
              HasSubstr("with gang.servers above 0 workers cannot share the optimizer"));
}

}  // namespace protium::whole
