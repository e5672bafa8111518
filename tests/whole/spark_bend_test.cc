// SPDX-License-Identifier: Apache-2.0
// Gangs that bend on a Spark server, whose address is in PROTIUM_TEST_SPARK: ranks and executors
// are killed, stopped, sent away and taken in while they train, and the weights are those of the
// embedded engine, left alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>

#include "whole/flights.h"
#include "whole/live_run.h"
#include "whole/ranks.h"

namespace protium::whole {

using std::chrono::seconds;
using testing::IsEmpty;

namespace {

constexpr int kRows = 3000;
// Long enough for Spark to bring another process.
const std::vector<std::string> kSettings = {"train.epochs=200", "train.batch_size=128",
                                            "train.checkpoint.every_steps=500"};

const std::string& Undisturbed() {
  static const std::string weights = WeightsOfRun(kRows, kSettings);
  return weights;
}

// A run on the server with this range of workers.
class Leased {
 public:
  explicit Leased(const std::string& workers, std::vector<std::string> more = {})
      : settings_(Settings(workers, std::move(more))),
        command_(FlightsCommand(scratch_, ExampleTables(kRows), settings_), scratch_.path()) {}

  Running& command() { return command_; }
  const Scratch& scratch() const { return scratch_; }

  std::vector<Json> Named(const std::string& name) const { return EventsNamed(scratch_, name); }

  // Until the gang trains with so many workers: Spark may bring some of them later than others.
  bool AwaitWorld(size_t world) {
    return command_.AwaitChange(scratch_.path() / "runs", [&] {
      size_t now = 0;
      for (const Json& event : EventsOf(scratch_)) {
        const std::string name = event.value("event", "");
        if (name == "gang_start") now = event["ranks"].size();
        if (name == "gang_entered") now = event["world"];
      }
      return now == world;
    });
  }

  bool Scale(int workers) const {
    Running verb({ProtiumCommand(), "scale", "last", std::to_string(workers), "--runs-dir",
                  (scratch_.path() / "runs").string()},
                 scratch_.path());
    return verb.Wait().exit == 0;
  }

  // To its end: with the weights of a run left alone, and without a restart.
  void EndsAlike() {
    const Outcome run = command_.Wait();
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(ModelWeights(run, scratch_), Undisturbed());
    EXPECT_THAT(Named("restart"), IsEmpty());
  }

 private:
  static std::vector<std::string> Settings(const std::string& workers,
                                           std::vector<std::string> more) {
    more.push_back("gang.workers=" + workers);
    more.push_back("engine=" + std::string(std::getenv("PROTIUM_TEST_SPARK")));
    return Joined(std::move(more), kSettings);
  }

  Scratch scratch_;
  std::vector<std::string> settings_;
  Running command_;
};

class SparkBend : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("PROTIUM_TEST_SPARK") == nullptr) {
      GTEST_SKIP() << "no Spark server: PROTIUM_TEST_SPARK is not set";
    }
  }
};

}  // namespace

TEST_F(SparkBend, GoesOnWithoutARankAndTakesAnotherIn) {
  Leased run("{min=1,max=2}");
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 20) && run.AwaitWorld(2));
  ASSERT_TRUE(SignalRank(run.scratch(), 0, SIGKILL));
  ASSERT_TRUE(run.AwaitWorld(1));
  ASSERT_TRUE(run.AwaitWorld(2)) << "nobody took the place of rank 0";
  // The other one has notice: it leaves after a step, and is no loss.
  ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGTERM));
  ASSERT_TRUE(run.AwaitWorld(1));
  run.EndsAlike();
  EXPECT_EQ(run.Named("rank_lost").size(), 1u);
}

TEST_F(SparkBend, OutlivesAnExecutorAndHasAsManyWorkersAsAPersonWants) {
  Leased run("{min=1,max=3}");
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 20) && run.AwaitWorld(3));
  ::kill(FindParent(FindParent(PidOfRank(run.scratch(), 0))), SIGKILL);
  ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), "rank_lost", 1));
  ASSERT_TRUE(run.Scale(1));
  ASSERT_TRUE(run.AwaitWorld(1));
  ASSERT_TRUE(run.Scale(2));
  ASSERT_TRUE(run.AwaitWorld(2));
  run.EndsAlike();
}

TEST_F(SparkBend, FencesARankThatIsStopped) {
  Leased run("{min=1,max=2}", {"gang.deadline=2"});
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 20) && run.AwaitWorld(2));
  const pid_t stopped = PidOfRank(run.scratch(), 1);
  ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGSTOP));
  ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), "rank_lost", 1));
  EXPECT_TRUE(EndWithin({stopped}, seconds(20))) << "it could wake up and go on";
  run.EndsAlike();
}

}  // namespace protium::whole
