// SPDX-License-Identifier: Apache-2.0
// What becomes of a job whose Spark server goes. The tests start servers of their own, of the
// release in PROTIUM_TEST_SPARK_VERSION.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>

#include "whole/flights.h"
#include "whole/live_run.h"
#include "whole/own_spark.h"
#include "whole/ranks.h"

namespace protium::whole {

namespace fs = std::filesystem;

using testing::HasSubstr;

class SparkServer : public testing::Test {
 protected:
  void SetUp() override {
    const char* const version = std::getenv("PROTIUM_TEST_SPARK_VERSION");
    if (version == nullptr) GTEST_SKIP() << "no Spark: PROTIUM_TEST_SPARK_VERSION is not set";
    version_ = version;
  }

  const Scratch scratch_;
  const fs::path runs_ = scratch_.path() / "runs";
  const std::string tables_ = ExampleTables(3000);
  std::string version_;
};

TEST_F(SparkServer, ThatIsKilledAndStartedAgainIsToldAndTheJobGoesOnToTheSameModel) {
  const std::string weights =
      ModelWeights(RunFlights(scratch_, tables_, {"train.epochs=40"}), scratch_);
  fs::remove_all(runs_);
  auto server = std::make_unique<OwnServer>(version_);
  const std::string port = server->port();
  Running job(FlightsCommand(scratch_, tables_, {"engine=" + server->address(), "train.epochs=40"}),
              scratch_.path());
  ASSERT_TRUE(job.AwaitChange(runs_, [&] { return FindPid(runs_, 1) > 0; }));
  const std::vector<pid_t> ranks = {FindPid(runs_, 0), FindPid(runs_, 1)};
  ::kill(FindParent(FindParent(ranks[0])), SIGKILL);
  EXPECT_TRUE(EndWithin(ranks, std::chrono::seconds(20)));

  server.reset();
  const OwnServer next(version_, port);  // Which does not know the job's session.
  const Outcome lost = job.Wait(std::chrono::seconds(180));
  EXPECT_EQ(lost.exit, 5) << lost.err;
  EXPECT_THAT(lost.err, HasSubstr("no longer knows this session"));
  EXPECT_THAT(lost.err, HasSubstr("resume"));
  EXPECT_TRUE(job.Descendants().empty());

  Running again({ProtiumCommand(), "resume", "last", "--json", "--runs-dir", runs_.string()},
                scratch_.path());
  const Outcome outcome = again.Wait();
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(ModelWeights(outcome, scratch_), weights);
}

// The devices are made up, so the CPU computes in their place.
TEST_F(SparkServer, WithTwoWorkersGivesEveryRankADeviceOfItsOwn) {
  const fs::path script = scratch_.path() / "gpus";
  std::ofstream(script) << "#!/bin/sh\necho '{\"name\": \"gpu\", \"addresses\": [\"0\", \"1\"]}'\n";
  fs::permissions(script, fs::perms::owner_all);
  const auto run = [&](std::vector<std::string> settings) {
    settings.push_back("gang.gpus_per_worker=1");
    Running command(FlightsCommand(scratch_, tables_, settings), scratch_.path(),
                    {{"PROTIUM_DEVICE", "cpu"}});
    return command.Wait(std::chrono::seconds(300));
  };
  const Outcome here = run({"engine.discovery=" + script.string()});
  const std::string weights = ModelWeights(here, scratch_);
  ASSERT_NE(weights, "") << here.err;
  fs::remove_all(runs_);
  const OwnServer server(version_, "0", "standalone");
  const Outcome there = run({"engine=" + server.address(), "engine.spark.rows=files"});
  ASSERT_EQ(there.exit, 0) << there.err;
  EXPECT_EQ(ModelWeights(there, scratch_), weights);
  const Json ranks = LastGang(runs_);
  ASSERT_EQ(ranks.size(), 2u);
  for (const Json& rank : ranks) ASSERT_EQ(rank["gpus"].size(), 1u) << Dump(ranks);
  EXPECT_NE(ranks[0]["gpus"][0], ranks[1]["gpus"][0]);
}

// One server for these tests, whose executors come when tasks wait for one, and go when they have
// none. Executors that are told to end (spark.decommission.enabled) have three seconds for it.
class ChangingServer : public SparkServer {
 protected:
  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override {
    SparkServer::SetUp();
    if (IsSkipped()) return;
    // Before the server is started, which takes the cores.
    if (!server_) {
      for (const char* each : {kShort, kLong}) {
        weights_[each] = ModelWeights(RunFlights(scratch_, tables_, SettingsOf(each)), scratch_);
        fs::remove_all(runs_);
      }
      server_ = std::make_unique<OwnServer>(version_, "0", "standalone", kServerSettings);
    }
    ASSERT_NE(weights_[kShort], "");
    ASSERT_NE(weights_[kLong], "");
  }

  std::vector<std::string> Command(const std::string& epochs, const std::string& workers) const {
    fs::remove_all(runs_);
    return FlightsCommand(
        scratch_, tables_,
        Joined({"engine=" + server_->address(), "gang.workers=" + workers}, SettingsOf(epochs)));
  }

  // The executor of rank 0 of a job that has taken some steps; 0 if it never came that far. It
  // is waited for, since Spark has to start it first.
  pid_t AwaitExecutor(Running& job) const {
    const bool began = job.AwaitChange(
        runs_, [&] { return PidOfRank(scratch_, 0) > 0; }, std::chrono::seconds(180));
    if (!began || !AwaitStep(job, scratch_, 20)) return 0;
    return FindParent(FindParent(PidOfRank(scratch_, 0)));
  }

  static constexpr char kShort[] = "train.epochs=60", kLong[] = "train.epochs=400";
  // Of the run left alone, by its number of epochs.
  static inline std::map<std::string, std::string> weights_;

 private:
  static std::vector<std::string> SettingsOf(const std::string& epochs) {
    return {epochs, "train.batch_size=128"};
  }

  static inline const std::vector<std::string> kServerSettings = {
      "spark.dynamicAllocation.enabled=true",
      "spark.dynamicAllocation.shuffleTracking.enabled=true",
      "spark.dynamicAllocation.shuffleTracking.timeout=5s",
      "spark.dynamicAllocation.executorIdleTimeout=5s",
      "spark.dynamicAllocation.maxExecutors=3",
      "spark.executor.cores=1",
      "spark.executor.resource.gpu.amount=1",
      "spark.decommission.enabled=true",
      "spark.executor.decommission.forceKillTimeout=3s"};
  static inline std::unique_ptr<OwnServer> server_;
};

// Barrier stages refuse dynamic allocation; a gang's ranks are ordinary tasks there.
TEST_F(ChangingServer, TrainsGangsThatMayAndMayNotBend) {
  Running fixed(Command(kShort, "2"), scratch_.path());
  const Outcome whole = fixed.Wait(std::chrono::seconds(180));
  ASSERT_EQ(whole.exit, 0) << whole.err;
  EXPECT_EQ(ModelWeights(whole, scratch_), weights_[kShort]);

  Running bending(Command(kShort, "{min=1,max=2}"), scratch_.path());
  const pid_t executor = AwaitExecutor(bending);
  ASSERT_GT(executor, 1);
  ::kill(executor, SIGKILL);
  const Outcome outcome = bending.Wait(std::chrono::seconds(180));
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(ModelWeights(outcome, scratch_), weights_[kShort]);
}

// SIGPWR is how a host that is to go tells its executors (spark.executor.decommission.signal). Such
// a one takes no more tasks and ends, at the latest after the timeout.
TEST_F(ChangingServer, DecommissionsAnExecutorAndTheGangGoesOnWithoutIt) {
  Running job(Command(kLong, "{min=1,max=2}"), scratch_.path());
  const pid_t executor = AwaitExecutor(job);
  ASSERT_GT(executor, 1);
  ::kill(executor, SIGPWR);
  EXPECT_TRUE(job.AwaitChange(
      runs_, [&] { return ::kill(executor, 0) != 0; }, std::chrono::seconds(60)))
      << "the executor outlived its job";
  const Outcome outcome = job.Wait(std::chrono::seconds(240));
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(ModelWeights(outcome, scratch_), weights_[kLong]);
}

}  // namespace protium::whole
