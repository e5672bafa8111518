// SPDX-License-Identifier: Apache-2.0
// Forests have the same bits in every gang: of any size, with rows in any order, with bins on the
// disk, and when workers are killed, dismissed, added, stopped and resumed while trees grow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <random>

#include "whole/growing.h"

namespace protium::whole {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::HasSubstr;

namespace {

// The hash of a run that nobody disturbs, made once.
const std::string& Undisturbed() {
  static const std::string weights = Growing("2").Weights();
  return weights;
}

}  // namespace

TEST(Forest, IsTheSameForAnyWorkersAnyOrderOfRowsAndBinsOnTheDisk) {
  const Scratch spill;
  const std::string few = "trees.rounds=200", seats = "engine=\"local[7]\"";
  const std::string one = Growing("1", {few}).Weights();
  EXPECT_EQ(Growing("2", {few}, 1).Weights(), one);
  EXPECT_EQ(Growing("3", {few, seats}, 2).Weights(), one);
  EXPECT_EQ(Growing("7", {few, seats}, 3).Weights(), one);
  EXPECT_EQ(Growing("2", {few, "engine.rows_memory=\"64KiB\"",
                          "engine.spill=\"" + spill.path().string() + "\""})
                .Weights(),
            one);
  EXPECT_TRUE(fs::is_empty(spill.path()));
}

TEST(Forest, IsResumedAfterADeath) {
  Growing run("2", {"gang.max_restarts=0"});
  ASSERT_TRUE(run.AwaitRound(1 + int64_t(std::random_device()() % 1200)));
  ASSERT_TRUE(SignalRank(run.scratch(), 0, SIGKILL));
  const Outcome failed = run.command().Wait(seconds(30));
  EXPECT_EQ(failed.exit, 1) << failed.err;
  EXPECT_THAT(failed.err, HasSubstr("rank 0"));
  EXPECT_THAT(failed.err, HasSubstr("resume"));
  const Outcome resumed = run.Resume({"--set", "gang.workers=1"});
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(ModelWeights(resumed, run.scratch()), Undisturbed());
}

TEST(Forest, IsRestartedByItselfAfterADeath) {
  Growing run("2", {"gang.max_restarts=2"});
  ASSERT_TRUE(run.AwaitRound(1 + int64_t(std::random_device()() % 1200)));
  ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGKILL));
  EXPECT_EQ(run.Weights(), Undisturbed());
  EXPECT_EQ(EventsNamed(run.scratch(), "restart").size(), 1u);
}

TEST(BendingForest, LosesAllButOneAndTakesOthersIn) {
  Growing run("{min=1,max=3}", {"engine=\"local[3]\""});
  ASSERT_TRUE(run.AwaitRound(50));
  ASSERT_TRUE(SignalRank(run.scratch(), 0, SIGKILL));
  ASSERT_TRUE(SignalRank(run.scratch(), 2, SIGKILL));
  // Where others come soon, the one that is left is hardly ever alone.
  ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), "rank_lost", 2));
  ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), "gang_entered", 1));
  ASSERT_TRUE(run.AwaitWorld(3)) << "nobody took their places";
  ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGKILL));
  EXPECT_EQ(run.Weights(), Undisturbed());
  run.LosesNoRound(3);
}

// "validation" and "epoch" end a round, with a checkpoint in between.
TEST(BendingForest, OutlivesADeathAtEveryTurnOfARound) {
  Growing run("{min=1,max=2}", {"train.checkpoint.every_steps=30"});
  for (const char* turn : {"validation", "checkpoint", "epoch"}) {
    const size_t before = EventsNamed(run.scratch(), turn).size();
    ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), turn, before + 1)) << turn;
    const size_t entered = EventsNamed(run.scratch(), "gang_entered").size();
    ASSERT_TRUE(SignalRank(run.scratch(), run.Newest(), SIGKILL)) << turn;
    ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), "gang_entered", entered + 2)) << turn;
  }
  EXPECT_EQ(run.Weights(), Undisturbed());
  run.LosesNoRound(3);
}

// Bins are made in the moment after rows are shared, before the first round.
TEST(BendingForest, OutlivesADeathBeforeItsFirstRound) {
  Growing run("{min=1,max=2}", {"gang.max_restarts=1"});
  ASSERT_TRUE(AwaitEvents(run.command(), run.scratch(), "train_start", 1));
  ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGKILL));
  EXPECT_EQ(run.Weights(), Undisturbed());
  run.LosesNoRound(1);
}

TEST(BendingForest, HasAsManyWorkersAsAPersonWants) {
  Growing run("{min=1,max=3}", {"engine=\"local[3]\""});
  ASSERT_TRUE(run.AwaitRound(20));
  EXPECT_EQ(run.Call({"scale", "last", "1"}).exit, 0);
  ASSERT_TRUE(run.AwaitWorld(1));
  EXPECT_EQ(run.Call({"scale", "last", "3"}).exit, 0);
  ASSERT_TRUE(run.AwaitWorld(3));
  EXPECT_EQ(run.Weights(), Undisturbed());
  run.LosesNoRound(0);
  for (const Json& each : EventsNamed(run.scratch(), "gang_entered")) {
    EXPECT_FALSE(each["after_death"].get<bool>()) << "a wish must not break a round";
  }
}

TEST(BendingForest, IsPausedAfterADeathAndResumedWithAnotherRange) {
  Growing run("{min=1,max=2}");
  ASSERT_TRUE(run.AwaitRound(120));
  ASSERT_TRUE(SignalRank(run.scratch(), 0, SIGKILL));
  const Outcome paused = run.Call({"pause", "last"});
  EXPECT_EQ(paused.exit, 0) << paused.err;
  EXPECT_THAT(paused.out, HasSubstr("to continue: protium resume "));
  const Outcome stopped = run.command().Wait(seconds(30));
  ASSERT_EQ(stopped.exit, 75) << stopped.err;
  EXPECT_TRUE(run.command().Descendants().empty());
  const Outcome resumed = run.Resume({"--set", "gang.workers={min=1,max=3}"});
  ASSERT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(ModelWeights(resumed, run.scratch()), Undisturbed());
}

// The importance of columns on many rows makes the end take a while. If the kill comes too late, it
// is tried again. Once the other rank is done nobody can go on without the one that died: then the
// gang is restarted (gang/bending.h, 3).
TEST(BendingForest, EndsEarlyWhereARankDies) {
  const std::vector<std::string> settings = {"train.early_stopping={patience=3}",
                                             "train.validation.importance_rows=100000"};
  Growing quiet("2", settings);
  const std::string weights = quiet.Weights();
  const std::vector<Json> rounds = EventsNamed(quiet.scratch(), "epoch");
  ASSERT_LT(rounds.size(), 1500u);
  for (int rank = 0; rank < 2; ++rank) {
    bool in_time = false;
    for (int tries = 0; tries < 5 && !in_time; ++tries) {
      Growing run("{min=1,max=2}", settings);
      ASSERT_TRUE(run.AwaitRound(int64_t(rounds.size())));
      (void)SignalRank(run.scratch(), rank, SIGKILL);
      EXPECT_EQ(run.Weights(), weights) << "rank " << rank;
      if (!EventsNamed(run.scratch(), "restart").empty()) continue;
      run.LosesNoRound(1);
      in_time = !EventsNamed(run.scratch(), "rank_lost").empty();
    }
    EXPECT_TRUE(in_time) << "rank " << rank << " was never killed in time";
  }
}

TEST(Forest, WhoseFileIsCutOrHasAFlippedBitPredictsNothing) {
  Growing run("1", {"trees.rounds=20"});
  const Outcome trained = run.command().Wait();
  ASSERT_EQ(trained.exit, 0) << trained.err;
  const fs::path model = trained.json["model"].get<std::string>();
  const fs::path input = run.scratch().path() / "new.csv";
  const auto predict = [&] {
    Running command(
        {ProtiumCommand(), "predict", "--model", model.string(), "--input", input.string(),
         "--output", (run.scratch().path() / "out.csv").string(), "--force"},
        run.scratch().path());
    return command.Wait();
  };
  std::ofstream(input) << "id,kind,age,load,noise\n1,mill,7,2.5,3\n2,press,,,1\n";
  EXPECT_EQ(predict().exit, 0);
  const fs::path file = model / "weights.safetensors";
  const std::string whole = ReadText(file);
  std::string flipped = whole;
  flipped[whole.size() - 30] = char(flipped[whole.size() - 30] ^ 1);
  for (const std::string& damaged : {flipped, whole.substr(0, whole.size() / 2)}) {
    std::ofstream(file, std::ios::binary) << damaged;
    const Outcome refused = predict();
    EXPECT_EQ(refused.exit, 3) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("weights.safetensors"));
  }
}

}  // namespace protium::whole
