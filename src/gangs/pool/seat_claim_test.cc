// SPDX-License-Identifier: Apache-2.0
// Claims of several gangs against the pool itself, in a thread of the test.
#include "pool/seat_claim.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "os/fd.h"
#include "os/temporary_folder.h"
#include "pool/pool_client.h"
#include "pool/pool_daemon.h"

namespace protium {
namespace {

using testing::HasSubstr;

class Claims : public testing::Test {
 protected:
  void SetUp() override { Start(); }
  void Start(const Quotas& quotas = {}) {
    auto listener = ListenAsPool(socket_).ValueOrDie();
    const PoolSettings settings{.socket = socket_, .log = folder_.path() / "log", .quotas = quotas};
    thread_ = std::jthread(
        [settings, listener = std::move(listener)](const std::stop_token& stop) mutable {
          const Status ended = PoolDaemon(settings, std::move(listener)).Serve(stop);
          EXPECT_TRUE(ended.ok()) << ended;
        });
  }
  void Stop() {
    thread_.request_stop();
    thread_.join();
  }
  // Of the whole machine, so that no two fit.
  std::unique_ptr<SeatClaim> Make(const std::string& who, int32_t priority = 0, int32_t min = 64) {
    Claim wish{
        .who = who, .min = min, .max = 64, .per_worker = {.cores = 64}, .priority = priority};
    return std::make_unique<SeatClaim>(socket_, std::move(wish));
  }
  static SeatOrders LookUntil(SeatClaim& claim,
                              const std::function<bool(const SeatOrders&)>& holds) {
    SeatOrders orders = claim.Look(Clock::now());
    for (const Deadline deadline = Clock::now() + std::chrono::seconds(10);
         !holds(orders) && Clock::now() < deadline;) {
      orders = claim.Look(Clock::now() + std::chrono::milliseconds(50));
    }
    return orders;
  }
  static bool IsGranted(SeatClaim& claim) {
    return LookUntil(claim, [](const SeatOrders& now) { return now.granted > 0; }).granted > 0;
  }
  static std::string WhyItWaits(SeatClaim& claim) {
    return LookUntil(claim, [](const SeatOrders& now) { return !now.why.empty(); }).why;
  }
  Json StateOfClaims() {
    const auto link = AttachToPool(socket_, "test").ValueOrDie();
    return AskPool(*link, {{"type", "status"}}).ValueOrDie().head["pool"]["claims"];
  }

  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  const std::filesystem::path socket_ = folder_.path() / "own" / "pool.sock";
  std::jthread thread_;
};

TEST_F(Claims, WaitForEachOther) {
  const auto first = Make("one"), second = Make("two");
  first->Ask();
  EXPECT_TRUE(IsGranted(*first));
  second->Ask();
  EXPECT_THAT(WhyItWaits(*second), HasSubstr("one (pid " + std::to_string(::getpid()) + ")"));
  EXPECT_EQ(StateOfClaims().size(), 2u);
  EXPECT_FALSE(second->Look(Clock::now()).granted > 0);
  first->GiveBack(64);
  EXPECT_TRUE(IsGranted(*second));
}

TEST_F(Claims, EndWithTheirConnection) {
  auto first = Make("one");
  const auto second = Make("two");
  first->Ask();
  EXPECT_TRUE(IsGranted(*first));
  second->Ask();
  EXPECT_NE(WhyItWaits(*second), "");
  first.reset();
  EXPECT_TRUE(IsGranted(*second));
}

TEST_F(Claims, PauseForAHigherPriorityAndGoOn) {
  const auto low = Make("low"), high = Make("high", 5);
  low->Ask();
  ASSERT_TRUE(IsGranted(*low));
  high->Ask();
  const auto asked = LookUntil(*low, [](const SeatOrders& now) { return now.most == 0; });
  EXPECT_THAT(asked.why, HasSubstr("high"));
  low->GiveBack(64);
  EXPECT_TRUE(IsGranted(*high));
  low->Ask();
  EXPECT_THAT(WhyItWaits(*low), HasSubstr("high"));
  high->GiveBack(64);
  EXPECT_TRUE(IsGranted(*low));
}

TEST_F(Claims, OfALabelGetItsQuotaBackWhateverTheirPriority) {
  Stop();
  Start({{"nightly", {.cores = 64}}});
  const auto borrows = Make("borrows", 5);
  SeatClaim owns(
      socket_,
      {.who = "owns", .label = "nightly", .min = 64, .max = 64, .per_worker = {.cores = 64}});
  borrows->Ask();
  ASSERT_TRUE(IsGranted(*borrows));
  owns.Ask();
  EXPECT_EQ(LookUntil(*borrows, [](const SeatOrders& now) { return now.most == 0; }).most, 0);
  borrows->GiveBack(64);
  EXPECT_TRUE(IsGranted(owns));
  EXPECT_EQ(StateOfClaims()[1]["label"], "nightly");
}

TEST_F(Claims, GoOnWithoutThePoolAndAreKnownToTheNext) {
  const auto first = Make("one"), waiting = Make("two");
  first->Ask();
  ASSERT_TRUE(IsGranted(*first));
  waiting->Ask();
  EXPECT_NE(WhyItWaits(*waiting), "");
  Stop();
  // Nobody arbitrates now.
  EXPECT_TRUE(IsGranted(*waiting));
  EXPECT_FALSE(first->Look(Clock::now()).arbitrated);
  EXPECT_EQ(first->Look(Clock::now()).granted, 64);
  Start();
  const auto adopted = LookUntil(*first, [](const SeatOrders& now) { return now.arbitrated; });
  EXPECT_TRUE(adopted.arbitrated);
  EXPECT_EQ(adopted.granted, 64);
  const Json claims = StateOfClaims();
  ASSERT_GE(claims.size(), 1u);
  EXPECT_EQ(claims[0]["workers"], 64);
  EXPECT_EQ(claims[0]["waits"], false);
}

TEST_F(Claims, ThatWaitKeepWaitingForAPoolThatIsRestarted) {
  const auto first = Make("one"), waiting = Make("two");
  first->Ask();
  ASSERT_TRUE(IsGranted(*first));
  waiting->Ask();
  EXPECT_NE(WhyItWaits(*waiting), "");
  Stop();
  Start();
  EXPECT_TRUE(LookUntil(*first, [](const SeatOrders& now) { return now.arbitrated; }).arbitrated);
  const auto again = LookUntil(*waiting, [](const SeatOrders& now) { return now.arbitrated; });
  EXPECT_TRUE(again.arbitrated);
  first->GiveBack(64);
  EXPECT_TRUE(IsGranted(*waiting));
}

// A child that takes all seats of the pool as soon as it may, and stops.
pid_t StartAndStop(const std::function<std::unique_ptr<SeatClaim>()>& make, int may) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  char go = 0;
  if (::read(may, &go, 1) != 1) ::_exit(1);
  const auto claim = make();
  claim->Ask();
  while (claim->Look(Clock::now() + std::chrono::seconds(1)).granted == 0) {
  }
  ::raise(SIGSTOP);
  ::_exit(0);
}

TEST_F(Claims, OfAStoppedProgramHoldTheirSeatsAndNothingElse) {
  Stop();  // A process with threads is not forked.
  int may[2];
  ASSERT_EQ(::pipe2(may, O_CLOEXEC), 0);
  const UniqueFd read(may[0]), write(may[1]);
  const pid_t child = StartAndStop([this] { return Make("stopped", 0, 1); }, read.get());
  ASSERT_GT(child, 0);
  Start();
  ASSERT_EQ(::write(write.get(), "x", 1), 1);
  int how = 0;
  ASSERT_EQ(::waitpid(child, &how, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(how));

  const auto waiting = Make("waiting");
  waiting->Ask();
  EXPECT_THAT(WhyItWaits(*waiting), HasSubstr("stopped"));
  // More is sent to it than it reads.
  for (int i = 0; i < 200; ++i) {
    const auto urgent = Make("urgent", 1);
    urgent->Ask();
    EXPECT_NE(WhyItWaits(*urgent), "");
  }
  EXPECT_EQ(StateOfClaims()[0]["workers"], 64);
  EXPECT_EQ(waiting->Look(Clock::now()).granted, 0);

  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, &how, 0), child);
  EXPECT_TRUE(IsGranted(*waiting));
}

TEST(AClaimWithoutAPool, IsGranted) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  SeatClaim claim(folder.path() / "pool.sock", {.who = "one", .min = 1, .max = 3});
  claim.Ask();
  const SeatOrders orders = claim.Look(Clock::now());
  EXPECT_EQ(orders.granted, 3);
  EXPECT_FALSE(orders.arbitrated);
  claim.GiveBack(1);
  EXPECT_TRUE(claim.Grow());
  EXPECT_EQ(claim.Look(Clock::now()).granted, 3);
}

// Cores are there for both.
TEST_F(Claims, WaitForMemoryThatAnotherGangHasAskedFor) {
  const int64_t most = WhatGangsMayHave(ReadMachine()).bytes;
  const auto make = [&](const std::string& who, int64_t bytes) {
    return SeatClaim(socket_, {.who = who,
                               .min = 1,
                               .max = 1,
                               .per_worker = {.cores = 0, .bytes = bytes},
                               .pauses = false});
  };
  SeatClaim first = make("first", most / 2 + 1), small = make("small", most / 4),
            second = make("second", most / 2 + 1), never = make("never", most + 1);
  first.Ask();
  ASSERT_TRUE(IsGranted(first));
  second.Ask();
  EXPECT_THAT(WhyItWaits(second), HasSubstr("first"));
  small.Ask();
  EXPECT_TRUE(IsGranted(small)) << "what fits passes by";
  never.Ask();
  EXPECT_THAT(LookUntil(never, [](const SeatOrders& now) { return !now.refused.empty(); }).refused,
              HasSubstr("this machine has"));
  first.GiveBack(1);
  EXPECT_TRUE(IsGranted(second));
}

TEST(ClaimFromJson, RefusesWhatIsOutOfRange) {
  const Claim wish{.who = "one", .min = 1, .max = 2};
  EXPECT_TRUE(ClaimFromJson(ClaimToJson(wish)).ok());
  Json json = ClaimToJson(wish);
  json["min"] = 0;
  EXPECT_FALSE(ClaimFromJson(json).ok());
  json["min"] = 3;
  EXPECT_FALSE(ClaimFromJson(json).ok());
  for (const int64_t bytes : {int64_t{-1}, INT64_MAX, int64_t{600'000'000'000'000'000}}) {
    json = ClaimToJson(wish);
    json["bytes"] = bytes;
    EXPECT_FALSE(ClaimFromJson(json).ok()) << bytes;
  }
  EXPECT_FALSE(ClaimFromJson(Json::object()).ok());
}

}  // namespace
}  // namespace protium
