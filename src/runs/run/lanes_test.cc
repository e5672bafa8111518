// SPDX-License-Identifier: Apache-2.0
#include "run/lanes.h"

#include <gtest/gtest.h>

#include <limits>

namespace protium {
namespace {

// Two ranks; for its forward the second needs `slow` seconds, the first one second.
Json Told(int64_t step, double slow) {
  return {{"event", "lanes"},
          {"step", step},
          {"count", 1},
          {"seconds", {slow + 0.5, slow + 0.5}},
          {"parts", {{"rows", {0, 0}}, {"forward", {1, slow}}, {"reduce", {slow - 0.5, 0.5}}}},
          {"wait", {slow - 1, 0}},
          {"held", {0, slow - 1}}};
}

TEST(LanesOfRanks, NamesTheRankThatTheOthersWaitFor) {
  RankLanes lanes;
  lanes.On({{"event", "train_start"}, {"shards", 4}}, 0);
  for (int step = 1; step <= 5; ++step) lanes.On(Told(step, 1.5), step * 2000.0);
  const auto slow = lanes.Slow();
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->rank, 1u);
  EXPECT_EQ(slow->part, "forward");
  EXPECT_DOUBLE_EQ(slow->ratio, 1.5);
  EXPECT_DOUBLE_EQ(slow->share, 0.25);
  EXPECT_EQ(slow->text,
            "The others wait for rank 1 for 25% of the time. It takes longer in the part "
            "\"forward\", 1.5 times as long as the others; look at what else its host runs, and at "
            "how many cores it has.");
}

TEST(LanesOfRanks, RanksThatTakeTurnsAreNotNamed) {
  RankLanes lanes;
  for (int step = 1; step <= 6; ++step) {
    Json told = Told(step, 1.5);
    if (step % 2 == 0) {
      told["held"] = {0.5, 0};
      told["wait"] = {0, 0.5};
    }
    lanes.On(told, step * 2000.0);
  }
  EXPECT_FALSE(lanes.Slow());
}

TEST(LanesOfRanks, ARankThatHasBecomeSlowIsNamedAfterALongTime) {
  RankLanes lanes;
  for (int step = 1; step <= 1500; ++step) lanes.On(Told(step, 1), step);
  EXPECT_FALSE(lanes.Slow());
  for (int step = 1; step <= 20; ++step) lanes.On(Told(step, 1.5), step);
  ASSERT_TRUE(lanes.Slow());
  EXPECT_EQ(lanes.Slow()->rank, 1u);
  EXPECT_TRUE(lanes.Slow()->text.starts_with("Lately: ")) << lanes.Slow()->text;
}

TEST(LanesOfRanks, ShardsThatDoNotDivideAreTheCauseThatIsTold) {
  RankLanes lanes;
  lanes.On({{"event", "train_start"}, {"shards", 3}}, 0);
  lanes.On(Told(1, 2), 1000);
  ASSERT_TRUE(lanes.Slow());
  EXPECT_NE(lanes.Slow()->text.find("3 shards are no multiple of 2 workers"), std::string::npos);
}

TEST(LanesOfRanks, AnotherGangBeginsAnew) {
  RankLanes lanes;
  lanes.On(Told(1, 2), 1000);
  ASSERT_TRUE(lanes.Slow());
  lanes.On({{"event", "gang_entered"}}, 2000);
  EXPECT_FALSE(lanes.Slow());
  EXPECT_EQ(lanes.intervals().size(), 1u);
}

TEST(LanesOfRanks, ALongTrainingTakesNoMoreMemoryAndLosesNoSecond) {
  RankLanes lanes;
  for (int step = 1; step <= 5000; ++step) lanes.On(Told(step, 1.5), step);
  EXPECT_LE(lanes.intervals().size(), 2048u);
  const Json json = lanes.ToJson(100);
  EXPECT_LE(json["intervals"].size(), 100u);
  double seconds = 0;
  int64_t steps = 0;
  for (const Json& each : json["intervals"]) {
    seconds += each["seconds"][0].get<double>();
    steps += each["count"].get<int64_t>();
  }
  EXPECT_DOUBLE_EQ(seconds, 10'000);
  EXPECT_EQ(steps, 5000);
  EXPECT_EQ(json["intervals"].back()["step"], 5000);
}

TEST(LanesOfRanks, EventsOfAnyShapeAreTaken) {
  RankLanes lanes;
  for (const char* event :
       {"[]", "7", R"({"event":"lanes"})", R"({"event":"lanes","seconds":7,"parts":[]})",
        R"({"event":"lanes","seconds":[5,"x",-1,1e300],"parts":{"rows":{},"a":[1,2,3,4,5]},)"
        R"("held":[9],"step":1e300})"}) {
    lanes.On(*ParseJson(event), 0);
  }
  EXPECT_EQ(lanes.intervals().size(), 3u);
  EXPECT_TRUE(lanes.ToJson(1).contains("total"));
}

}  // namespace
}  // namespace protium
