// SPDX-License-Identifier: Apache-2.0
// A pool that takes another's place in the same process, against its drivers. With a real exec:
// warm_workers_test.
#include "pool/handover.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <thread>

#include "base/fault.h"
#include "os/temporary_folder.h"
#include "pool/pool_client.h"
#include "pool/pool_daemon.h"
#include "pool/seat_claim.h"

namespace protium {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// What becomes of a handover on its way.
using OnTheWay = std::function<void(PoolHandover&)>;

class HandedOver : public testing::Test {
 protected:
  void SetUp() override { Serve(ListenAsPool(socket_).ValueOrDie()); }
  template <class From>
  void Serve(From from) {
    const PoolSettings settings{.socket = socket_,
                                .log = folder_.path() / "log",
                                .settle = milliseconds(600),
                                .quotas = quotas_};
    pool_ = std::make_unique<PoolDaemon>(settings, std::move(from));
    thread_ =
        std::jthread([this](const std::stop_token& stop) { EXPECT_TRUE(pool_->Serve(stop).ok()); });
  }
  void End() {
    thread_.request_stop();
    thread_.join();
  }
  // One pool follows another; the answer to whoever asked for it.
  Result<std::optional<Frame>> Restart(const OnTheWay& change = {}) {
    const auto asks = AttachToPool(socket_, "restart").ValueOrDie();
    EXPECT_TRUE(asks->Send({{"type", "restart"}, {"program", "/next"}, {"arguments", {"a"}}}).ok());
    thread_.join();
    EXPECT_EQ(pool_->successor().program, "/next");
    PoolHandover handover = pool_->HandOver();
    pool_.reset();
    if (change) change(handover);
    Serve(std::move(handover));
    return asks->Receive(Clock::now() + std::chrono::seconds(10));
  }
  std::unique_ptr<SeatClaim> Make(const std::string& who, int32_t priority = 0) {
    Claim wish{.who = who, .min = 64, .max = 64, .per_worker = {.cores = 64}, .priority = priority};
    return std::make_unique<SeatClaim>(socket_, std::move(wish));
  }
  static bool Becomes(SeatClaim& claim, const std::function<bool(const SeatOrders&)>& so) {
    for (const Deadline deadline = Clock::now() + std::chrono::seconds(10);
         Clock::now() < deadline;) {
      if (so(claim.Look(Clock::now() + milliseconds(20)))) return true;
    }
    return false;
  }
  static bool IsGranted(SeatClaim& claim) {
    return Becomes(claim, [](const SeatOrders& now) { return now.granted > 0; });
  }
  static bool Waits(SeatClaim& claim) {
    return Becomes(claim, [](const SeatOrders& now) { return !now.why.empty(); });
  }
  Json Claims() { return PoolState(socket_).ValueOrDie()["claims"]; }
  Json Quotas() { return PoolState(socket_).ValueOrDie()["quotas"]; }

  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  const std::filesystem::path socket_ = folder_.path() / "own" / "pool.sock";
  protium::Quotas quotas_;  // That pools are started with.
  std::unique_ptr<PoolDaemon> pool_;
  std::jthread thread_;
};

TEST_F(HandedOver, QuotasStayUntilOthersAreGiven) {
  quotas_ = {{"nightly", {.cores = 2, .bytes = 1 << 30}}};
  ASSERT_TRUE(Restart().ok());
  quotas_.clear();
  ASSERT_TRUE(Restart().ok());
  EXPECT_EQ(Quotas(), (Json{{"nightly", {{"cores", 2}, {"bytes", 1 << 30}}}}));
  quotas_ = {{"hourly", {.cores = 1}}};
  ASSERT_TRUE(Restart().ok());
  EXPECT_EQ(Quotas(), (Json{{"hourly", {{"cores", 1}, {"bytes", 0}}}}));
}

TEST_F(HandedOver, ClaimsNeitherLoseTheirSeatsNorTheirTurn) {
  const auto holds = Make("holds"), first = Make("first"), later = Make("later");
  holds->Ask();
  ASSERT_TRUE(IsGranted(*holds));
  first->Ask();
  ASSERT_TRUE(Waits(*first));
  const auto answer = Restart();
  ASSERT_TRUE(answer.ok() && *answer) << answer.status();
  EXPECT_EQ((*answer)->type, "restarted");
  EXPECT_TRUE(holds->Look(Clock::now()).arbitrated);
  later->Ask();
  EXPECT_TRUE(Waits(*later));
  const Json claims = Claims();
  ASSERT_EQ(claims.size(), 3u);
  EXPECT_EQ(claims[0]["workers"], 64);
  EXPECT_EQ(claims[1]["waits"], true);
  holds->GiveBack(64);
  EXPECT_TRUE(IsGranted(*first));
  EXPECT_EQ(later->Look(Clock::now()).granted, 0);
}

TEST_F(HandedOver, AClaimThatPausesIsStillAskedTo) {
  const auto low = Make("low"), high = Make("high", 5);
  low->Ask();
  ASSERT_TRUE(IsGranted(*low));
  high->Ask();
  ASSERT_TRUE(Becomes(*low, [](const SeatOrders& now) { return now.most == 0; }));
  ASSERT_TRUE(Restart().ok());
  low->GiveBack(64);
  EXPECT_TRUE(IsGranted(*high));
  low->Ask();
  EXPECT_TRUE(Waits(*low));
  ASSERT_TRUE(Restart().ok());
  high->GiveBack(64);
  EXPECT_TRUE(IsGranted(*low));
}

TEST_F(HandedOver, AProgramThatEndsMeanwhileLeavesNoSeatBehind) {
  auto holds = Make("holds");
  const auto waits = Make("waits");
  holds->Ask();
  ASSERT_TRUE(IsGranted(*holds));
  waits->Ask();
  ASSERT_TRUE(Waits(*waits));
  ASSERT_TRUE(Restart([&](PoolHandover&) { holds.reset(); }).ok());
  EXPECT_TRUE(IsGranted(*waits));
}

TEST_F(HandedOver, WhoCannotReadItLetsProgramsSayWhatTheyHold) {
  const auto holds = Make("holds"), fresh = Make("fresh");
  holds->Ask();
  ASSERT_TRUE(IsGranted(*holds));
  // As of another format: all connections close.
  const auto answer = Restart([](PoolHandover& handover) {
    handover.state = nullptr;
    handover.fds.clear();
  });
  EXPECT_FALSE(answer.ok() && *answer);
  // It comes before the other one has said anything.
  fresh->Ask();
  EXPECT_TRUE(Becomes(*fresh, [](const SeatOrders& now) {
    return now.why == "waiting until programs that run have said what they hold";
  }));
  EXPECT_TRUE(Becomes(*holds, [](const SeatOrders& now) { return now.arbitrated; }));
  EXPECT_TRUE(
      Becomes(*fresh, [](const SeatOrders& now) { return now.why.find("holds") != now.why.npos; }));
  EXPECT_EQ(fresh->Look(Clock::now()).granted, 0);
}

TEST_F(HandedOver, SeatsOfAConnectionThatIsLostOnTheWayAreNotGivenOut) {
  const auto holds = Make("holds"), waits = Make("waits");
  holds->Ask();
  ASSERT_TRUE(IsGranted(*holds));
  waits->Ask();
  ASSERT_TRUE(Waits(*waits));
  ASSERT_TRUE(Restart([](PoolHandover& handover) {
                // Of the driver that came first.
                (void)handover.Take(handover.state["drivers"][0], "link");
              }).ok());
  EXPECT_TRUE(Becomes(*holds, [](const SeatOrders& now) { return now.arbitrated; }));
  EXPECT_EQ(waits->Look(Clock::now() + milliseconds(700)).granted, 0);
  EXPECT_EQ(holds->Look(Clock::now()).granted, 64);
  holds->GiveBack(64);
  EXPECT_TRUE(IsGranted(*waits));
}

TEST_F(HandedOver, DamagedClaimsAreNotBelieved) {
  const auto holds = Make("holds");
  holds->Ask();
  ASSERT_TRUE(IsGranted(*holds));
  ASSERT_TRUE(
      Restart([](PoolHandover& handover) { handover.state["claims"][0]["seats"] = 5; }).ok());
  EXPECT_TRUE(Becomes(*holds, [](const SeatOrders& now) { return now.arbitrated; }));
  ASSERT_EQ(Claims().size(), 1u);
  EXPECT_EQ(Claims()[0]["workers"], 64);
}

TEST_F(HandedOver, APoolAfterAKilledOneWaitsForThoseThatRun) {
  const auto holds = Make("holds"), fresh = Make("fresh");
  holds->Ask();
  ASSERT_TRUE(IsGranted(*holds));
  End();
  pool_.reset();
  Serve(ListenAsPool(socket_).ValueOrDie());
  fresh->Ask();
  EXPECT_TRUE(Waits(*fresh));
  EXPECT_TRUE(Becomes(*holds, [](const SeatOrders& now) { return now.arbitrated; }));
  EXPECT_EQ(fresh->Look(Clock::now() + milliseconds(700)).granted, 0);
}

TEST_F(HandedOver, APoolWithoutProgramsIsFollowedAtOnce) {
  End();
  pool_.reset();
  Serve(ListenAsPool(socket_).ValueOrDie());
  const auto fresh = Make("fresh");
  fresh->Ask();
  EXPECT_EQ(fresh->Look(Clock::now() + milliseconds(400)).granted, 64);
}

TEST(KnownClaims, AreHandedOverWhole) {
  KnownClaim claim{.number = 7, .since = Clock::time_point(milliseconds(5)), .why = "why"};
  claim.wish = {.program = 12,
                .who = "who",
                .label = "label",
                .min = 2,
                .max = 3,
                .weight = 0.5,
                .pauses = false};
  claim.wish.per_worker = {.cores = 1, .bytes = 2, .devices = 1};
  claim.seats = {{{"gpu 0"}}, {{"gpu 1"}}};
  claim.asked_for = 1;
  claim.rests_until = Clock::time_point(milliseconds(9));
  const Json json = ClaimsToHandOver({claim});
  const auto handed = HandedClaims(*ParseJson(Dump(json))).ValueOrDie();
  EXPECT_EQ(Dump(ClaimsToHandOver(handed)), Dump(json));
  EXPECT_EQ(handed[0].seats[1].devices[0], "gpu 1");
  EXPECT_EQ(handed[0].wish.per_worker.bytes, 2);
}

TEST(ASuccessor, ThatCannotRunLeavesTheHandoverUnharmed) {
  PoolHandover handover{.listener = {.socket = UniqueFd(::dup(0)), .lock = UniqueFd(::dup(0))}};
  handover.Put(UniqueFd(::dup(0)));
  const Status status = BecomeSuccessor("/no/such/program", {}, handover);
  EXPECT_THAT(FaultOf(status).what, HasSubstr("/no/such/program"));
  EXPECT_EQ(::fcntl(handover.fds[0].get(), F_GETFD), FD_CLOEXEC);
  EXPECT_EQ(std::getenv("PROTIUM_POOL_HANDOVER"), nullptr);
}

}  // namespace
}  // namespace protium
