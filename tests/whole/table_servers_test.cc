// SPDX-License-Identifier: Apache-2.0
// Jobs whose rows of ids servers hold ([gang] servers) end with the weights of jobs without, also
// when a server or a worker is killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "whole/flights.h"
#include "whole/live_run.h"
#include "whole/own_job.h"

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

TEST(TableServers, AreStartedAgainWithTheGangAfterADeath) {
  for (const int rank : {1, 2}) {  // A worker, a server.
    Served run({"gang.workers=2", "gang.servers=1", "gang.max_restarts=2"});
    ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 150));
    ASSERT_TRUE(SignalRank(run.scratch(), rank, SIGKILL));
    EXPECT_EQ(run.Weights(), Alone()) << rank;
    EXPECT_EQ(EventsNamed(run.scratch(), "restart").size(), 1u);
  }
}

TEST(TableServers, AreNamedWhereOneDiesAndTheRunIsResumedWithOthers) {
  Served run({"gang.workers=1", "gang.servers=2", "gang.max_restarts=0"});
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 150));
  ASSERT_TRUE(SignalRank(run.scratch(), 2, SIGKILL));
  const Outcome failed = run.command().Wait(seconds(30));
  EXPECT_EQ(failed.exit, 1) << failed.err;
  EXPECT_THAT(failed.err, HasSubstr("rank 2, a server,"));
  EXPECT_TRUE(run.command().Descendants().empty());
  const Outcome resumed = run.Resume({"gang.servers=1"});
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(ModelWeights(resumed, run.scratch()), Alone());
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
  EXPECT_THAT(said({"gang.servers=1", "train.mode=\"local\""}), HasSubstr("no other mode"));
  EXPECT_THAT(said({"gang.servers=1", "train.average=0.9"}), HasSubstr("not averaged"));
  EXPECT_THAT(said({"gang.servers=1", "gang.workers={min=1,max=2}"}), HasSubstr("is a range"));
  EXPECT_THAT(said({"gang.servers=1", "train.share_optimizer=true"}),
              HasSubstr("with gang.servers above 0 workers cannot share the optimizer"));
  EXPECT_THAT(said({"gang.servers=1", "train.gradients=\"bfloat16\""}),
              HasSubstr("with gang.servers above 0 gradients are not rounded"));
  EXPECT_THAT(said({"gang.servers=1", "train.from=\"nowhere\""}),
              HasSubstr("with gang.servers above 0 training does not begin with the weights"));
}

}  // namespace protium::whole
