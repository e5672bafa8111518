// SPDX-License-Identifier: Apache-2.0
// Elastic gangs: workers are killed, stopped, dismissed and added while they train, and the weights
// are those of an undisturbed run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <set>
#include <thread>

#include "whole/flights.h"
#include "whole/live_run.h"

namespace protium::whole {

using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

constexpr int kRows = 6000;
// Long enough for a newcomer to join.
const std::vector<std::string> kSettings = {"train.epochs=60", "train.batch_size=128",
                                            "train.checkpoint.every_steps=100"};

std::vector<std::string> With(std::vector<std::string> more) {
  // A test's own settings come last, and take precedence.
  return Joined(kSettings, more);
}

// The weights of the undisturbed run, made once.
const std::string& Undisturbed() {
  static const std::string weights = WeightsOfRun(kRows, kSettings);
  return weights;
}

// With how many workers the gang continued, each time.
std::vector<int> Worlds(const Scratch& scratch) {
  std::vector<int> worlds;
  for (const Json& event : EventsNamed(scratch, "gang_entered")) worlds.push_back(event["world"]);
  return worlds;
}

int FilesIn(const std::filesystem::path& folder) {
  const std::filesystem::recursive_directory_iterator all(folder);
  return int(std::ranges::count_if(all, [](const auto& each) { return each.is_regular_file(); }));
}

bool Notes(const Scratch& scratch, const std::string& part) {
  const std::vector<Json> notes = EventsNamed(scratch, "note");
  return std::ranges::any_of(notes, [&](const Json& note) {
    return note["message"].get<std::string>().find(part) != std::string::npos;
  });
}

// A run with this range of workers.
class Bending {
 public:
  explicit Bending(const std::string& workers, std::vector<std::string> more = {})
      : settings_(WithWorkers(workers, std::move(more))),
        command_(FlightsCommand(scratch_, ExampleTables(kRows), settings_), scratch_.path()) {}

  Running& command() { return command_; }
  const Scratch& scratch() const { return scratch_; }

  // Runs to its end: with the weights of an undisturbed run, without a restart, with nothing left
  // behind.
  void EndsAlike(const std::string& weights = Undisturbed()) {
    const Outcome run = command_.Wait();
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(ModelWeights(run, scratch_), weights);
    EXPECT_TRUE(command_.Descendants().empty());
  }

  Outcome Call(const std::vector<std::string>& verb) const {
    std::vector<std::string> argv = {ProtiumCommand()};
    argv.insert(argv.end(), verb.begin(), verb.end());
    argv.insert(argv.end(), {"--runs-dir", (scratch_.path() / "runs").string()});
    Running command(argv, scratch_.path());
    return command.Wait();
  }

 private:
  static std::vector<std::string> WithWorkers(const std::string& workers,
                                              std::vector<std::string> more) {
    more.push_back("gang.workers=" + workers);
    return With(std::move(more));
  }

  Scratch scratch_;
  std::vector<std::string> settings_;
  Running command_;
};

}  // namespace

TEST(BendingGang, GoesOnWithoutEitherRankAndTakesAnotherIn) {
  for (int rank = 0; rank < 2; ++rank) {
    Bending run("{min=1,max=2}");
    ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 40));
    ASSERT_TRUE(SignalRank(run.scratch(), rank, SIGKILL));
    run.EndsAlike();
    EXPECT_THAT(EventsNamed(run.scratch(), "restart"), IsEmpty());
    const std::vector<int> worlds = Worlds(run.scratch());
    ASSERT_FALSE(worlds.empty());
    EXPECT_EQ(worlds.front(), 1);
    EXPECT_THAT(worlds, Contains(2)) << "nobody took the place of rank " << rank;
  }
}

// A round that is not over when a rank dies is made again, by those that are left.
TEST(BendingGang, GoesOnWithStepsApart) {
  const std::vector<std::string> apart = {"train.mode=local", "train.local.every=7",
                                          "train.local.outer={momentum=0.9,rate=0.7}"};
  Bending run("{min=1,max=2}", apart);
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 40));
  ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGKILL));
  run.EndsAlike(WeightsOfRun(kRows, With(apart)));
  EXPECT_THAT(EventsNamed(run.scratch(), "restart"), IsEmpty());
}

TEST(BendingGang, BendsWithRowsOnTheDisk) {
  const Scratch spill;
  Bending run("{min=1,max=2}",
              {"engine.rows_memory=\"100KiB\"", "engine.spill=\"" + spill.path().string() + "\""});
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 20));
  ASSERT_TRUE(SignalRank(run.scratch(), 0, SIGKILL));
  run.EndsAlike();
  EXPECT_THAT(EventsNamed(run.scratch(), "restart"), IsEmpty());
  EXPECT_THAT(Worlds(run.scratch()), Contains(2));
  EXPECT_TRUE(Notes(run.scratch(), "of packed rows do not fit engine.rows_memory"));
  EXPECT_EQ(FilesIn(spill.path()), 0);
}

TEST(BendingGang, LeavesNoRowsOnTheDiskWhenAllAreKilled) {
  const Scratch spill;
  Bending run("{min=1,max=2}",
              {"engine.rows_memory=\"64KiB\"", "engine.spill=\"" + spill.path().string() + "\""});
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 20));
  const std::vector<pid_t> workers = run.command().Descendants();
  run.command().Signal(SIGKILL);
  EXPECT_TRUE(EndWithin(workers, seconds(20)));
  EXPECT_EQ(FilesIn(spill.path()), 0);
}

TEST(BendingGang, LosesAllButOneAtATime) {
  Bending run("{min=1,max=3}");
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 40));
  ASSERT_TRUE(SignalRank(run.scratch(), 0, SIGKILL));
  ASSERT_TRUE(SignalRank(run.scratch(), 2, SIGKILL));
  run.EndsAlike();
  EXPECT_THAT(EventsNamed(run.scratch(), "restart"), IsEmpty());
}

TEST(BendingGang, StartsAgainWhenAllAreKilled) {
  Bending run("{min=1,max=2}");
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 120));
  ASSERT_TRUE(SignalRank(run.scratch(), 0, SIGSTOP));
  ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGKILL));
  ASSERT_TRUE(SignalRank(run.scratch(), 0, SIGKILL));
  run.EndsAlike();
  EXPECT_EQ(EventsNamed(run.scratch(), "restart").size(), 1u);
}

// The wish for one worker is older than the second attempt, whose three workers first share their
// rows.
TEST(BendingGang, StartsAgainWithFewerThanItHasSeats) {
  Bending run("{min=1,max=3}");
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 20));
  ASSERT_EQ(run.Call({"scale", "last", "1"}).exit, 0);
  ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), "gang_entered", 1));
  ASSERT_TRUE(SignalRank(run.scratch(), 0, SIGKILL));
  run.EndsAlike();
  EXPECT_EQ(EventsNamed(run.scratch(), "restart").size(), 1u);
}

TEST(BendingGang, WaitsForOthersBelowItsLeastSize) {
  Bending run("{min=2,max=3}");
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 40));
  ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGKILL));
  ASSERT_TRUE(SignalRank(run.scratch(), 2, SIGKILL));
  run.EndsAlike();
  const std::vector<int> worlds = Worlds(run.scratch());
  EXPECT_EQ(std::ranges::count(worlds, 1), 0) << "one worker is less than the least";
}

TEST(BendingGang, FencesAWorkerThatIsStopped) {
  Bending run("{min=1,max=2}", {"gang.deadline=2"});
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 40));
  const pid_t stopped = PidOfRank(run.scratch(), 1);
  ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGSTOP));
  run.EndsAlike();
  EXPECT_TRUE(EndWithin({stopped}, seconds(0)));
  EXPECT_THAT(EventsNamed(run.scratch(), "rank_lost").front()["why"].get<std::string>(),
              HasSubstr("was silent"));
}

// A rank that may use a core for a tenth of the time gets fewer shards.
TEST(BendingGang, MovesShardsToQuickRanks) {
  Bending run("{min=1,max=2}", {"gang.rebalance=true"});
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 5));
  const pid_t slow = PidOfRank(run.scratch(), 1);
  std::jthread hinder([slow](const std::stop_token& stop) {
    while (!stop.stop_requested() && ::kill(slow, SIGSTOP) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (::kill(slow, SIGCONT) != 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(4));
    }
  });
  ASSERT_TRUE(run.command().AwaitChange(
      OnlyRun(run.scratch()), [&] { return Notes(run.scratch(), "rank 1 has 1 instead of 2"); }));
  hinder = {};
  run.EndsAlike();
  EXPECT_TRUE(Notes(run.scratch(), "shards move, since ranks were busy for "));
  EXPECT_TRUE(Notes(run.scratch(), "rank 0 has 3 instead of 2, rank 1 has 1 instead of 2"));
}

TEST(BendingGang, OutlivesTheDeathOfANewcomer) {
  Bending run("{min=1,max=2}");
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 40));
  ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGKILL));
  ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), "member_start", 1));
  ASSERT_TRUE(SignalRank(run.scratch(), 2, SIGKILL));
  run.EndsAlike();
}

// A newcomer copies what it needs from others when it joins.
TEST(BendingGang, OutlivesTheDeathOfTheRankThatANewcomerCopiesFrom) {
  Bending run("{min=1,max=3}");
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 40));
  ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGKILL));
  ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), "gang_change", 2));
  ASSERT_TRUE(SignalRank(run.scratch(), 0, SIGKILL));
  run.EndsAlike();
  EXPECT_THAT(EventsNamed(run.scratch(), "restart"), IsEmpty());
}

// "validation" is reported before the epoch's checkpoint is written, "checkpoint" while it is
// written, "epoch" between the two.
TEST(BendingGang, OutlivesADeathAtEveryTurnOfAnEpoch) {
  Bending run("{min=1,max=2}", {"train.checkpoint.every_steps=30"});
  for (const char* turn : {"validation", "checkpoint", "epoch"}) {
    const size_t before = EventsNamed(run.scratch(), turn).size();
    const size_t worlds = Worlds(run.scratch()).size();
    ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), turn, before + 1)) << turn;
    const std::vector<Json> started = EventsNamed(run.scratch(), "member_start");
    const int rank = started.empty() ? 0 : started.back()["rank"].get<int>();
    ASSERT_TRUE(SignalRank(run.scratch(), rank, SIGKILL)) << turn;
    const auto two_again = [&] {
      const std::vector<int> now = Worlds(run.scratch());
      return now.size() > worlds && now.back() == 2;
    };
    ASSERT_TRUE(run.command().AwaitChange(OnlyRun(run.scratch()), two_again)) << turn;
  }
  run.EndsAlike();
  EXPECT_THAT(EventsNamed(run.scratch(), "restart"), IsEmpty());
}

// Rows are loaded within a moment after "gang_start". If the test looks too late, the gang
// continues without the rank, and the test tries again.
TEST(BendingGang, StartsAgainWhenARankDiesWhileRowsAreLoaded) {
  for (int tries = 0; tries < 5; ++tries) {
    Bending run("{min=1,max=2}");
    ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), "gang_start", 1));
    ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGKILL));
    run.EndsAlike();
    const size_t restarts = EventsNamed(run.scratch(), "restart").size();
    const bool late = restarts == 0 && !Worlds(run.scratch()).empty();
    if (late) continue;
    EXPECT_EQ(restarts, 1u);
    return;
  }
  FAIL() << "no rank was killed while rows were loaded";
}

TEST(BendingGang, GrowsAndShrinksWhileCheckpointsAreWritten) {
  Bending run("{min=1,max=3}", {"train.checkpoint.every_steps=20"});
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 10));
  EXPECT_EQ(run.Call({"scale", "last", "1"}).exit, 0);
  ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), "gang_entered", 1));
  EXPECT_EQ(run.Call({"scale", "last", "3"}).exit, 0);
  ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), "gang_entered", 2));
  run.EndsAlike();
  EXPECT_EQ(Worlds(run.scratch()).back(), 3);
}

TEST(BendingGang, HasAsManyWorkersAsAPersonWants) {
  Bending run("{min=1,max=3}");
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 20));
  const Outcome fewer = run.Call({"scale", "last", "1"});
  EXPECT_EQ(fewer.exit, 0) << fewer.err;
  ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), "gang_entered", 1));
  EXPECT_EQ(run.Call({"scale", "last", "3"}).exit, 0);
  const Outcome refused = run.Call({"scale", "last", "9"});
  EXPECT_THAT(refused.err, HasSubstr("has 1 to 3 workers, and not 9"));
  run.EndsAlike();
  const std::vector<int> worlds = Worlds(run.scratch());
  ASSERT_GE(worlds.size(), 2u);
  EXPECT_EQ(worlds.front(), 1);
  EXPECT_EQ(worlds.back(), 3);
  for (const Json& each : EventsNamed(run.scratch(), "gang_entered")) {
    EXPECT_FALSE(each["after_death"].get<bool>()) << "a wish must not break a step";
  }
  EXPECT_EQ(run.Call({"scale", "last", "2"}).exit, 2) << "it has ended";
}

TEST(BendingGang, IsPausedInTheMiddleOfAChangeAndResumedWithAnotherRange) {
  Bending run("{min=1,max=2}");
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 120));
  ASSERT_TRUE(SignalRank(run.scratch(), 0, SIGKILL));
  const Outcome paused = run.Call({"pause", "last"});
  EXPECT_EQ(paused.exit, 0) << paused.err;
  EXPECT_THAT(paused.out, HasSubstr(" is paused after step "));
  EXPECT_THAT(paused.out, HasSubstr("to continue: protium resume "));
  EXPECT_THAT(run.Call({"pause", "last"}).err, HasSubstr("is not running"));
  const Outcome stopped = run.command().Wait(seconds(30));
  ASSERT_EQ(stopped.exit, 75) << stopped.err;
  EXPECT_TRUE(run.command().Descendants().empty());
  const Outcome resumed =
      run.Call({"resume", "last", "--json", "--set", "gang.workers={min=2,max=3}"});
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(ModelWeights(resumed, run.scratch()), Undisturbed());
}

TEST(BendingGang, RefusesMoreWorkersThanShards) {
  const Scratch scratch;
  const Outcome refused = RunFlights(scratch, ExampleTables(kRows), {"gang.workers={min=1,max=5}"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_THAT(refused.err, HasSubstr("gang.workers = 5 is more than train.shards = 4"));
}

TEST(FixedGang, CannotBeScaled) {
  Bending run("2");
  ASSERT_TRUE(AwaitStep(run.command(), run.scratch(), 20));
  const Outcome refused = run.Call({"scale", "last", "1"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_THAT(refused.err, HasSubstr("fixed number of workers"));
  run.EndsAlike();
}

}  // namespace protium::whole
