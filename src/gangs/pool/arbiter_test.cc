// SPDX-License-Identifier: Apache-2.0
#include "pool/arbiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "pool/arbiter_lives.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = ArbiterOrder::Kind;

Clock::time_point Second(int64_t second) { return Clock::time_point(std::chrono::seconds(second)); }

Claim Gang(int64_t program, int32_t min, int32_t max) {
  return {.program = program,
          .who = "p" + std::to_string(program),
          .min = min,
          .max = max,
          .per_worker = {.cores = 1}};
}

// "grant 1: 2", "wait 2: why", "shrink 1: 2", one an order.
std::vector<std::string> Told(Arbiter& arbiter) {
  std::vector<std::string> told;
  for (const ArbiterOrder& order : arbiter.Orders()) {
    const std::string claim = std::to_string(order.claim);
    const std::string workers = std::to_string(order.workers);
    switch (order.kind) {
      case Kind::kGrant:
        told.push_back("grant " + claim + ": " + std::to_string(order.seats.size()));
        break;
      case Kind::kWait:
        told.push_back("wait " + claim + ": " + order.why);
        break;
      case Kind::kRefuse:
        told.push_back("refuse " + claim + ": " + order.why);
        break;
      case Kind::kOffer:
        told.push_back("offer " + claim + ": " + workers);
        break;
      case Kind::kShrink:
        told.push_back("shrink " + claim + ": " + workers);
        break;
      case Kind::kPause:
        told.push_back("pause " + claim);
        break;
    }
  }
  return told;
}

std::vector<PoolSeat> Seats(int32_t count) {
  std::vector<PoolSeat> seats;
  seats.resize(size_t(count));
  return seats;
}

TEST(Arbiter, GrantsAnElasticGangAllThatIsFree) {
  Arbiter arbiter({.cores = 4});
  arbiter.Ask(1, Gang(1, 1, 8), Second(0));
  EXPECT_THAT(Told(arbiter), ElementsAre("grant 1: 4"));
  EXPECT_EQ(arbiter.Free().cores, 0);
}

TEST(Arbiter, SaysWhoHoldsWhatAClaimWaitsFor) {
  Arbiter arbiter({.cores = 3});
  arbiter.Ask(1, Gang(1, 2, 2), Second(0));
  arbiter.Ask(2, Gang(2, 2, 2), Second(1));
  arbiter.Ask(3, Gang(3, 3, 3), Second(2));
  EXPECT_THAT(Told(arbiter),
              ElementsAre("grant 1: 2", "wait 2: waiting for 2 cores, 1 core free: p1 holds 2",
                          "wait 3: waiting for 3 cores, 1 core free: p1 holds 2; 1 ahead of you"));
  arbiter.End(1, Second(3));
  EXPECT_THAT(Told(arbiter),
              ElementsAre("grant 2: 2", "wait 3: waiting for 3 cores, 1 core free: p2 holds 2"));
}

TEST(Arbiter, RefusesAtOnceWhatNeverFits) {
  Arbiter arbiter({.cores = 4, .bytes = 1 << 30, .devices = {"a", "b"}});
  Claim claim = Gang(1, 5, 5);
  arbiter.Ask(1, claim, Second(0));
  EXPECT_THAT(Told(arbiter),
              ElementsAre("refuse 1: needs 5 cores for 5 workers: this machine has 4"));
  claim.shares_cores = true;
  arbiter.Ask(2, claim, Second(0));
  EXPECT_THAT(Told(arbiter), ElementsAre("grant 2: 5")) << "they share the cores";
  claim = Gang(1, 1, 1);
  claim.per_worker = {.devices = 3};
  arbiter.Ask(3, claim, Second(0));
  EXPECT_THAT(Told(arbiter),
              ElementsAre("refuse 3: needs 3 devices for 1 worker: this machine has 2"));
  claim.per_worker = {.bytes = INT64_MAX};
  arbiter.Ask(4, claim, Second(0));
  EXPECT_THAT(Told(arbiter), SizeIs(1));
  claim.per_worker = {.cores = -1};
  arbiter.Ask(5, claim, Second(0));
  EXPECT_THAT(Told(arbiter), SizeIs(1));
  EXPECT_THAT(arbiter.Claims(), SizeIs(1));
}

TEST(Arbiter, TwoElasticGangsShareEqually) {
  Arbiter arbiter({.cores = 4});
  arbiter.Ask(1, Gang(1, 1, 4), Second(0));
  arbiter.Ask(2, Gang(2, 1, 4), Second(1));
  EXPECT_THAT(Told(arbiter),
              ElementsAre("grant 1: 4", "shrink 1: 2",
                          "wait 2: waiting for 1 core: p1 holds 4, yields after its current step"));
  arbiter.GiveBack(1, Seats(2), Second(2));
  EXPECT_THAT(Told(arbiter), ElementsAre("grant 2: 2"));
  EXPECT_EQ(arbiter.due(), Second(32)) << "when the first may be asked again";
  arbiter.Look(Second(32));
  EXPECT_THAT(Told(arbiter), IsEmpty());
  EXPECT_EQ(arbiter.due(), kNever);
}

TEST(Arbiter, TheLastOfTwoGrowsAgain) {
  Arbiter arbiter({.cores = 4});
  arbiter.Ask(1, Gang(1, 1, 4), Second(0));
  arbiter.Ask(2, Gang(2, 1, 4), Second(1));
  arbiter.GiveBack(1, Seats(2), Second(2));
  arbiter.End(2, Second(3));
  EXPECT_THAT(Told(arbiter).back(), "offer 1: 4");
  arbiter.Grow(1, Second(4));
  arbiter.Grow(1, Second(4));
  arbiter.Grow(1, Second(4));
  EXPECT_THAT(Told(arbiter), ElementsAre("grant 1: 1", "grant 1: 1"));
}

TEST(Arbiter, AnOfferThatNobodyTakesLapses) {
  Arbiter arbiter({.cores = 4});
  arbiter.Ask(1, Gang(1, 4, 4), Second(0));
  arbiter.Ask(2, Gang(2, 1, 2), Second(0));
  arbiter.Ask(3, Gang(3, 1, 4), Second(0));
  arbiter.GiveBack(1, Seats(4), Second(1));
  Told(arbiter);
  arbiter.GiveBack(3, Seats(1), Second(2));
  EXPECT_THAT(Told(arbiter), IsEmpty()) << "2 has all that it wants, 3 has just given back";
  arbiter.Grow(3, Second(3));
  EXPECT_THAT(Told(arbiter), ElementsAre("grant 3: 1"));
}

TEST(Arbiter, AHigherPriorityMakesAGangPauseAndItComesBackInItsPlace) {
  Arbiter arbiter({.cores = 2});
  arbiter.Ask(1, Gang(1, 2, 2), Second(0));
  Claim urgent = Gang(2, 1, 1);
  urgent.priority = 1;
  arbiter.Ask(2, urgent, Second(1));
  EXPECT_THAT(Told(arbiter),
              ElementsAre("grant 1: 2", "pause 1",
                          "wait 2: waiting for 1 core: p1 holds 2, pauses after its current step"));
  arbiter.GiveBack(1, Seats(2), Second(2));
  EXPECT_THAT(Told(arbiter), ElementsAre("grant 2: 1"));
  arbiter.Ask(1, Gang(1, 2, 2), Second(3));
  arbiter.Ask(3, Gang(3, 2, 2), Second(3));
  Told(arbiter);
  arbiter.End(2, Second(4));
  EXPECT_THAT(Told(arbiter).front(), "grant 1: 2");
  urgent.program = 4;
  arbiter.Ask(4, urgent, Second(5));
  EXPECT_THAT(Told(arbiter), testing::Contains("wait 4: waiting for 1 core: p1 holds 2"))
      << "it is left alone after a pause";
  arbiter.Look(Second(34));
  EXPECT_THAT(Told(arbiter), testing::Contains("pause 1"));
}

TEST(Arbiter, LaterClaimsPassUntilPatienceEnds) {
  Arbiter arbiter({.cores = 4});
  arbiter.Ask(1, Gang(1, 2, 2), Second(0));
  arbiter.Ask(2, Gang(2, 4, 4), Second(0));
  arbiter.Ask(3, Gang(3, 1, 1), Second(1));
  arbiter.Look(Second(10));
  Told(arbiter);
  arbiter.Ask(4, Gang(4, 1, 1), Second(11));
  EXPECT_THAT(Told(arbiter).front(),
              testing::StartsWith("wait 4: waiting for 1 core: what is free is kept"));
  arbiter.End(1, Second(12));
  arbiter.End(3, Second(13));
  EXPECT_THAT(Told(arbiter), testing::Contains("grant 2: 4"));
}

TEST(Arbiter, AQuotaIsHadWhenItsOwnerComes) {
  Arbiter arbiter({.cores = 4, .quotas = {{"prod", {.cores = 3}}}});
  Claim borrower = Gang(1, 4, 4);
  borrower.priority = 5;
  arbiter.Ask(1, borrower, Second(0));
  Claim owner = Gang(2, 3, 3);
  owner.label = "prod";
  arbiter.Ask(2, owner, Second(1));
  EXPECT_EQ(Told(arbiter)[1], "pause 1");
  arbiter.GiveBack(1, Seats(4), Second(2));
  arbiter.Ask(1, borrower, Second(3));
  arbiter.Look(Second(60));
  EXPECT_THAT(Told(arbiter),
              ElementsAre("grant 2: 3", "wait 1: waiting for 4 cores, 1 core free: p2 holds 3"))
      << "what is within a quota stays, whatever the priority";
}

TEST(Arbiter, GivesEachDeviceOnce) {
  Arbiter arbiter({.cores = 8, .devices = {"a", "b", "c"}});
  Claim claim = Gang(1, 1, 1);
  claim.per_worker = {.cores = 1, .devices = 2};
  arbiter.Ask(1, claim, Second(0));
  claim.program = 2;
  claim.per_worker.devices = 1;
  arbiter.Ask(2, claim, Second(0));
  const auto orders = arbiter.Orders();
  ASSERT_THAT(orders, SizeIs(2));
  EXPECT_THAT(orders[0].seats.front().devices, ElementsAre("a", "b"));
  EXPECT_THAT(orders[1].seats.front().devices, ElementsAre("c"));
}

TEST(Arbiter, ANewPoolGivesNothingUntilWhatItHeardOfFits) {
  Arbiter arbiter({.cores = 4});
  arbiter.Ask(1, Gang(1, 3, 3), Second(0));
  arbiter.Adopt(2, Gang(2, 3, 3), Seats(3), Second(1));
  EXPECT_EQ(arbiter.Free().cores, -2);
  arbiter.Ask(3, Gang(3, 1, 1), Second(2));
  arbiter.End(1, Second(3));
  EXPECT_THAT(Told(arbiter),
              ElementsAre("grant 1: 3", "wait 3: waiting for 1 core: p1 holds 3; p2 holds 3",
                          "grant 3: 1"));
}

TEST(Arbiter, NothingIsGrantedWhileMemoryIsShort) {
  Arbiter arbiter({.cores = 4});
  arbiter.Hold("memory is less short on this machine", Second(0));
  arbiter.Ask(1, Gang(1, 1, 1), Second(0));
  EXPECT_THAT(Told(arbiter),
              ElementsAre("wait 1: waiting until memory is less short on this machine"));
  arbiter.Hold("", Second(1));
  EXPECT_THAT(Told(arbiter), ElementsAre("grant 1: 1"));
}

TEST(Arbiter, ADriverThatHoldsOnIsNotCountedOnForEver) {
  Arbiter arbiter({.cores = 4});
  arbiter.Ask(1, Gang(1, 1, 2), Second(0));
  arbiter.Ask(2, Gang(2, 1, 2), Second(0));
  Claim urgent = Gang(3, 1, 1);
  urgent.priority = 1;
  arbiter.Ask(3, urgent, Second(1));
  EXPECT_EQ(Told(arbiter)[2], "shrink 2: 1");
  arbiter.Look(Second(11));
  EXPECT_EQ(arbiter.due(), Second(31));
  arbiter.Look(Second(31));
  EXPECT_THAT(Told(arbiter), testing::Contains("shrink 1: 1"));
}

TEST(Days, KeepEveryRule) {
  constexpr uint64_t kDays = 20'000;
  DayEnd sum;
  for (uint64_t seed = 0; seed < kDays; ++seed) {
    const DayEnd end = LiveDay(seed);
    ASSERT_EQ(end.broken, "") << "seed " << seed;
    sum.grants += end.grants;
    sum.waits += end.waits;
    sum.shrinks += end.shrinks;
    sum.pauses += end.pauses;
    sum.growths += end.growths;
    sum.deaths += end.deaths;
    sum.restarts += end.restarts;
    sum.upgrades += end.upgrades;
  }
  // Days without trouble would prove nothing.
  EXPECT_GT(sum.grants, int64_t(2 * kDays));
  EXPECT_GT(sum.waits, int64_t(kDays));
  EXPECT_GT(sum.shrinks, int64_t(kDays / 4));
  EXPECT_GT(sum.pauses, int64_t(kDays / 10));
  EXPECT_GT(sum.growths, int64_t(kDays / 4));
  EXPECT_GT(sum.deaths, int64_t(kDays / 10));
  EXPECT_GT(sum.restarts, int64_t(kDays / 10));
  EXPECT_GT(sum.upgrades, int64_t(kDays / 10));
}

TEST(Days, ShowEveryPlantedMistake) {
  for (int planted = 1; planted <= kPlantedInArbiter; ++planted) {
    uint64_t seed = 0;
    while (seed < 3'000 && LiveDay(seed, PlantedInArbiter(planted)).broken.empty()) ++seed;
    EXPECT_LT(seed, 3'000u) << "mistake " << planted;
  }
}

}  // namespace
}  // namespace protium
