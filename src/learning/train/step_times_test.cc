// SPDX-License-Identifier: Apache-2.0
#include "train/step_times.h"

#include <gtest/gtest.h>

#include <numeric>

namespace protium {
namespace {

// Times of a rank that spent `reduce` in the all-reduce and `forward` in the net.
std::vector<float> Told(float forward, float reduce) {
  return {0, forward, 0, reduce, 0, 0, 0, forward + reduce};
}

std::vector<float> Joined(const std::vector<std::vector<float>>& ranks) {
  std::vector<float> all;
  for (const auto& each : ranks) all.insert(all.end(), each.begin(), each.end());
  return all;
}

TEST(TimesOfRanks, TheRankThatComesLastHoldsTheOthersUp) {
  RankTimes times;
  times.Add(Joined({Told(1, 3.5f), Told(4, 0.5f), Told(2, 2.5f)}));
  times.Add(Joined({Told(1, 3.5f), Told(4, 0.5f), Told(2, 2.5f)}));
  const Json event = FieldsToJson(times.Take(7));
  EXPECT_EQ(event["step"], 7);
  EXPECT_EQ(event["count"], 2);
  EXPECT_EQ(event["wait"], Json({6.0, 0.0, 4.0}));
  EXPECT_EQ(event["held"], Json({0.0, 5.0, 0.0}));
  EXPECT_EQ(event["parts"]["forward"], Json({2.0, 8.0, 4.0}));
  EXPECT_EQ(event["seconds"], Json({9.0, 9.0, 9.0}));
  EXPECT_TRUE(times.empty());
}

// The time that a rank spends on waiting, validation and checkpoints does not come from its shards.
TEST(TimesOfRanks, OnlyWorkOnShardsKeepsARankBusy) {
  std::vector<double> busy;
  AddBusy(Joined({{1, 2, 4, 100, 8, 200, 400, 900}, Told(3, 5)}), busy);
  AddBusy(Joined({Told(1, 9), Told(3, 5)}), busy);
  EXPECT_EQ(busy, (std::vector<double>{16, 6}));
}

TEST(TimesOfRanks, ARankWithoutShardsIsNotWaitedFor) {
  RankTimes times;
  times.Add(Joined({Told(1, 3), Told(3, 1), std::vector<float>(8)}));
  const Json event = FieldsToJson(times.Take(1));
  EXPECT_EQ(event["wait"], Json({2.0, 0.0, 0.0}));
  EXPECT_EQ(event["held"], Json({0.0, 2.0, 0.0}));
}

TEST(TimesOfRanks, PartsAreNotMoreThanAllOfTheTime) {
  StepTimes times;
  std::vector<float> told(static_cast<size_t>(StepTimes::kTold));
  { const auto counts = times.Count(StepPart::kForward); }
  { const auto counts = times.Count(StepPart::kReduce); }
  times.Write(told);
  EXPECT_GT(told[size_t(StepPart::kForward)], 0);
  EXPECT_EQ(told[size_t(StepPart::kRows)], 0);
  EXPECT_LE(std::accumulate(told.begin(), told.end() - 1, 0.0f), told.back());
  times.Write(told);
  EXPECT_EQ(told[size_t(StepPart::kForward)], 0);
}

}  // namespace
}  // namespace protium
