// SPDX-License-Identifier: Apache-2.0
#include "gang/roster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "gang/roster_lives.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = RosterOrder::Kind;

Clock::time_point Second(int64_t seconds) {
  return Clock::time_point(std::chrono::seconds(seconds));
}

Roster Bending(int32_t members, RosterLimits limits) {
  Roster roster(limits, members, Second(0));
  for (int32_t m = 0; m < members; ++m) roster.Shared(m, Second(0));
  return roster;
}

TEST(Roster, ADeathCallsTheSurvivorsAtOnceAndStartsAnother) {
  Roster roster = Bending(3, {.min = 1, .max = 3});
  EXPECT_THAT(roster.Orders(), IsEmpty());
  roster.Gone(1, Second(1));
  const auto orders = roster.Orders();
  ASSERT_THAT(orders, SizeIs(2));
  EXPECT_EQ(orders[0].kind, Kind::kCall);
  EXPECT_THAT(orders[0].generation.members, ElementsAre(0, 2));
  EXPECT_TRUE(orders[0].generation.cut);
  EXPECT_EQ(orders[1].kind, Kind::kStart);
  EXPECT_EQ(orders[1].member, 3);
}

TEST(Roster, ANewcomerComesInAtAnEdgeOnceAllHaveEntered) {
  Roster roster = Bending(2, {.min = 1, .max = 2});
  roster.Gone(0, Second(1));
  roster.Orders();
  roster.Prepared(2, Second(2));
  EXPECT_THAT(roster.Orders(), IsEmpty()) << "member 1 has not entered generation 1 yet";
  roster.Entered(1, 1, 7, Second(3));
  const auto orders = roster.Orders();
  ASSERT_THAT(orders, SizeIs(1));
  EXPECT_THAT(orders[0].generation.members, ElementsAre(1, 2));
  EXPECT_FALSE(orders[0].generation.cut);
}

TEST(Roster, FewerThanTheLeastWaitWithPatience) {
  Roster roster = Bending(2, {.min = 2, .max = 2, .patience = std::chrono::seconds(10)});
  roster.Gone(0, Second(1));
  ASSERT_THAT(roster.Orders(), SizeIs(1)) << "a start, no call";
  EXPECT_EQ(roster.due(), Second(11));
  roster.Look(Second(5));
  EXPECT_THAT(roster.Orders(), IsEmpty());
  roster.Prepared(2, Second(6));
  const auto orders = roster.Orders();
  ASSERT_THAT(orders, SizeIs(1));
  EXPECT_THAT(orders[0].generation.members, ElementsAre(1, 2));
  EXPECT_EQ(roster.due(), kNever);
}

TEST(Roster, EndsWhenPatienceDoes) {
  Roster roster = Bending(2, {.min = 2, .max = 2, .patience = std::chrono::seconds(10)});
  roster.Gone(0, Second(1));
  roster.Orders();
  roster.Look(Second(11));
  const auto orders = roster.Orders();
  ASSERT_THAT(orders, SizeIs(1));
  EXPECT_EQ(orders[0].kind, Kind::kEnd);
  EXPECT_EQ(orders[0].why, "1 worker is left of at least 2, and no other came in time");
}

TEST(Roster, ADeathWhileRowsAreLoadedEndsIt) {
  Roster roster({.min = 1, .max = 2}, 2, Second(0));
  roster.Shared(0, Second(0));
  roster.Gone(1, Second(1));
  ASSERT_THAT(roster.Orders(), SizeIs(1));
  EXPECT_TRUE(roster.closed());
}

TEST(Roster, DeathsWithoutAStepBetweenThemEndIt) {
  Roster roster = Bending(4, {.min = 1, .max = 4, .fruitless = 2});
  for (int32_t m = 0; m < 3; ++m) roster.Gone(m, Second(1));
  EXPECT_EQ(roster.Orders().back().kind, Kind::kEnd);
}

TEST(Roster, AWishForFewerIsAnEdgeAndKeepsRankZero) {
  Roster roster = Bending(3, {.min = 1, .max = 4});
  roster.Orders();
  roster.Want(1, Second(1));
  const auto orders = roster.Orders();
  ASSERT_FALSE(orders.empty());
  const auto call = std::ranges::find(orders, Kind::kCall, &RosterOrder::kind);
  ASSERT_NE(call, orders.end());
  EXPECT_THAT(call->generation.members, ElementsAre(0));
  EXPECT_FALSE(call->generation.cut);
}

TEST(Roster, AMemberWithNoticeLeavesAtAnEdge) {
  Roster roster = Bending(2, {.min = 1, .max = 2});
  roster.Notice(0, Second(1));
  const auto orders = roster.Orders();
  ASSERT_THAT(orders, SizeIs(2));
  EXPECT_THAT(orders[0].generation.members, ElementsAre(1));
  EXPECT_FALSE(orders[0].generation.cut);
  EXPECT_EQ(orders[1].kind, Kind::kStart) << "another comes in its place";
}

TEST(Roster, AMemberWithNoticeStaysWhileThereAreTooFew) {
  Roster roster = Bending(2, {.min = 2, .max = 3});
  roster.Orders();
  roster.Notice(0, Second(1));
  for (const RosterOrder& each : roster.Orders()) EXPECT_NE(each.kind, Kind::kCall);
  roster.Prepared(2, Second(2));
  const auto orders = roster.Orders();
  ASSERT_FALSE(orders.empty());
  EXPECT_THAT(orders[0].generation.members, ElementsAre(1, 2));
}

RosterLimits Fixed(int32_t ranks) {
  return {.min = ranks,
          .max = ranks,
          .fruitless = 3,
          .patience = std::chrono::seconds(10),
          .fixed_ranks = true};
}

TEST(FixedRanks, ADeadMembersRankIsThatOfTheOneThatIsPrepared) {
  Roster roster = Bending(3, Fixed(3));
  const auto first = roster.Orders();
  ASSERT_THAT(first, SizeIs(1)) << "one waits for a rank";
  EXPECT_EQ(first[0].kind, Kind::kStart);
  roster.Prepared(3, Second(1));
  EXPECT_THAT(roster.Orders(), IsEmpty()) << "nobody has died";
  roster.Gone(1, Second(2));
  const auto orders = roster.Orders();
  ASSERT_THAT(orders, SizeIs(2));
  EXPECT_THAT(orders[0].generation.members, ElementsAre(0, 3, 2));
  EXPECT_TRUE(orders[0].generation.cut);
  EXPECT_EQ(orders[1].kind, Kind::kStart) << "for the next death";
}

TEST(FixedRanks, WaitForAnotherWhereNoneIsPrepared) {
  Roster roster = Bending(3, Fixed(3));
  roster.Gone(2, Second(1));
  for (const RosterOrder& each : roster.Orders()) EXPECT_EQ(each.kind, Kind::kStart);
  EXPECT_EQ(roster.due(), Second(11));
  roster.Prepared(4, Second(2));
  const auto orders = roster.Orders();
  ASSERT_THAT(orders, SizeIs(1));
  EXPECT_THAT(orders[0].generation.members, ElementsAre(0, 1, 4));
}

TEST(FixedRanks, TwoDeathsAreTwoTakers) {
  Roster roster = Bending(3, Fixed(3));
  roster.Prepared(3, Second(1));
  roster.Gone(1, Second(2));
  roster.Gone(2, Second(2));
  roster.Prepared(4, Second(3));
  const auto orders = roster.Orders();
  const auto last = std::ranges::find_if(
      orders, [](const RosterOrder& each) { return each.generation.number == 2; });
  ASSERT_NE(last, orders.end());
  EXPECT_THAT(last->generation.members, ElementsAre(0, 3, 4));
}

TEST(FixedRanks, EndWithRankZero) {
  Roster roster = Bending(2, Fixed(2));
  roster.Prepared(2, Second(1));
  roster.Orders();
  roster.Gone(0, Second(2));
  const auto orders = roster.Orders();
  ASSERT_THAT(orders, SizeIs(1));
  EXPECT_EQ(orders[0].why, "no other process takes rank 0");
}

LifeSpec Draw(uint64_t seed) {
  const auto size = int32_t(1 + seed % 4);
  return {.seed = seed,
          .limits = {.min = int32_t(1 + seed / 4 % uint64_t(size)),
                     .max = int32_t(size + seed / 16 % 2),
                     .fruitless = int32_t(2 + seed / 32 % 8),
                     .patience = std::chrono::seconds(2)},
          .members = size,
          .deaths = double(seed / 7 % 6),
          .wishes = double(seed / 11 % 4),
          .notices = double(seed / 13 % 3)};
}

TEST(Lives, KeepEveryPromise) {
  constexpr uint64_t kLives = 20'000;
  int64_t finished = 0, deaths = 0, generations = 0, repeated = 0;
  for (uint64_t seed = 0; seed < kLives; ++seed) {
    const LifeEnd end = Live(Draw(seed));
    ASSERT_EQ(end.broken, "") << "seed " << seed;
    finished += end.finished;
    deaths += end.deaths;
    generations += end.generations;
    repeated += end.repeated;
    EXPECT_LE(end.repeated, end.generations) << "seed " << seed;
  }
  // Lives that are all without faults would prove nothing.
  EXPECT_GT(finished, int64_t(kLives / 2));
  EXPECT_GT(deaths, int64_t(kLives));
  EXPECT_GT(generations, int64_t(kLives));
  EXPECT_GT(repeated, 0);
}

LifeSpec DrawFixed(uint64_t seed) {
  const auto size = int32_t(2 + seed % 4);
  return {.seed = seed,
          .limits = {.min = size,
                     .max = size,
                     .fruitless = int32_t(2 + seed / 32 % 8),
                     .patience = std::chrono::seconds(2),
                     .fixed_ranks = true},
          .members = size,
          .deaths = double(seed / 7 % 6)};
}

TEST(Lives, OfFixedRanksKeepEveryPromise) {
  constexpr uint64_t kLives = 10'000;
  int64_t finished = 0, deaths = 0, taken = 0;
  for (uint64_t seed = 0; seed < kLives; ++seed) {
    const LifeEnd end = Live(DrawFixed(seed));
    ASSERT_EQ(end.broken, "") << "seed " << seed;
    finished += end.finished;
    deaths += end.deaths;
    taken += end.taken;
  }
  EXPECT_GT(finished, int64_t(kLives / 4));
  EXPECT_GT(deaths, int64_t(kLives));
  EXPECT_GT(taken, int64_t(kLives / 3));
}

TEST(Lives, OfFixedRanksShowATakerThatGetsAnotherRank) {
  for (uint64_t seed = 0; seed < 3'000; ++seed) {
    LifeSpec spec = DrawFixed(seed);
    spec.planted = Planted::kTakesOtherRank;
    if (!Live(spec).broken.empty()) return;
  }
  FAIL() << "3,000 lives do not show it";
}

class PlantedMistake : public testing::TestWithParam<Planted> {};

TEST_P(PlantedMistake, IsFound) {
  for (uint64_t seed = 0; seed < 3'000; ++seed) {
    LifeSpec spec = Draw(seed);
    spec.planted = GetParam();
    if (!Live(spec).broken.empty()) return;
  }
  FAIL() << "3,000 lives do not show it";
}

INSTANTIATE_TEST_SUITE_P(All, PlantedMistake,
                         testing::Values(Planted::kTakesOlderCall, Planted::kDeafToDeaths,
                                         Planted::kWeightsOfRank0, Planted::kNewcomerKeepsOwn,
                                         Planted::kForgetsDeath, Planted::kLeavesAtOnce,
                                         Planted::kFormsEarly));

}  // namespace
}  // namespace protium
