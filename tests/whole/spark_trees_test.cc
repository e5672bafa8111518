// SPDX-License-Identifier: Apache-2.0
// Forests on a Spark server, whose address is in PROTIUM_TEST_SPARK: those of the embedded engine,
// whatever happens to the gang.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>

#include "whole/growing.h"

namespace protium::whole {

namespace {

// Run on this machine, and undisturbed.
const Outcome& Here() {
  static Growing run("2");
  static const Outcome outcome = run.command().Wait();
  return outcome;
}

// The same with few rounds: sums over TCP take their time on a busy machine.
const std::string kFew = "trees.rounds=300";
const Outcome& FewHere() {
  static Growing run("2", {kFew});
  static const Outcome outcome = run.command().Wait();
  return outcome;
}

std::string WeightsHere() {
  const Scratch scratch;
  static const std::string weights = ModelWeights(Here(), scratch);
  EXPECT_FALSE(weights.empty()) << Here().err;
  return weights;
}

class SparkForest : public testing::Test {
 protected:
  void SetUp() override {
    const char* const address = std::getenv("PROTIUM_TEST_SPARK");
    if (address == nullptr) GTEST_SKIP() << "no Spark server: PROTIUM_TEST_SPARK is not set";
    engine_ = "engine=" + std::string(address);
  }

  std::string engine_;
};

}  // namespace

// A gang of a fixed number: a barrier stage.
TEST_F(SparkForest, HasTheBitsScoresAndMetricsOfTheEmbeddedEngine) {
  const Scratch scratch;
  const std::string weights = ModelWeights(FewHere(), scratch);
  ASSERT_FALSE(weights.empty()) << FewHere().err;
  for (const char* rows : {"stream", "files"}) {
    Growing there("2", {engine_, kFew, "engine.spark.rows=" + std::string(rows)}, 4);
    const Outcome run = there.command().Wait();
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(ModelWeights(run, there.scratch()), weights) << rows;
    EXPECT_EQ(run.json["metrics"]["test"], FewHere().json["metrics"]["test"]);
    EXPECT_EQ(run.json["metrics"]["validation"], FewHere().json["metrics"]["validation"]);
  }
}

TEST_F(SparkForest, StartsAgainWhenARankIsKilled) {
  Growing run("2", {engine_});
  ASSERT_TRUE(run.AwaitRound(100));
  ASSERT_TRUE(SignalRank(run.scratch(), 1, SIGKILL));
  EXPECT_EQ(run.Weights(), WeightsHere());
  EXPECT_EQ(EventsNamed(run.scratch(), "restart").size(), 1u);
}

// A range of workers: ordinary tasks.
TEST_F(SparkForest, GoesOnWithoutARankAndTakesAnotherIn) {
  Growing run("{min=1,max=2}", {engine_, "trees.rounds=4000"});
  Growing quiet("2", {"trees.rounds=4000"});
  ASSERT_TRUE(run.AwaitRound(20) && run.AwaitWorld(2));
  ASSERT_TRUE(SignalRank(run.scratch(), 0, SIGKILL));
  ASSERT_TRUE(run.AwaitWorld(1));
  ASSERT_TRUE(run.AwaitWorld(2)) << "nobody took the place of rank 0";
  EXPECT_EQ(run.Weights(), quiet.Weights());
  run.LosesNoRound(1);
}

}  // namespace protium::whole
