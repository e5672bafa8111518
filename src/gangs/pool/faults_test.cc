// SPDX-License-Identifier: Apache-2.0
// A pool that is killed at every step of placing gangs, and of giving its place to another. It is a
// process of its own, the gangs are the test's.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <memory>
#include <thread>

#include "os/temporary_folder.h"
#include "pool/pool_client.h"
#include "pool/pool_daemon.h"
#include "pool/seat_claim.h"

namespace protium {
namespace {

using std::chrono::milliseconds;

constexpr int kNoStep = -1;
constexpr int kSeats = 64;
constexpr int kKilled = 9;

class PoolFaults : public testing::Test {
 protected:
  // Begins with a pool that ends, without a word, at its step of that number since the step `from`;
  // empty: the first of all.
  void Begin(int dies_at, const std::string& from) {
    died_ = false;
    StartPool(dies_at, from);
    holds_ = Make("holds");
    waits_ = Make("waits");
  }
  // Ends what is left; the pool must have nothing left of it.
  void End() {
    holds_.reset();
    waits_.reset();
    for (const Deadline deadline = Clock::now() + std::chrono::seconds(10);;) {
      Replace();
      const Json state = PoolState(socket_).ValueOr(Json::object());
      if (state.contains("claims") && state["claims"].empty() &&
          state["free_cores"] == state["cores"]) {
        break;
      }
      ASSERT_LT(Clock::now(), deadline) << Dump(state);
    }
    ::kill(pool_, SIGKILL);
    int how = 0;
    EXPECT_EQ(::waitpid(pool_, &how, 0), pool_);
  }
  // Looks at both gangs until `so`.
  using Orders = std::function<bool(const SeatOrders& holds, const SeatOrders& waits)>;
  bool Become(const Orders& so) {
    for (const Deadline deadline = Clock::now() + std::chrono::seconds(10);
         Clock::now() < deadline && !HasFailure();) {
      Replace();
      const SeatOrders holds = holds_->Look(Clock::now() + milliseconds(5));
      const SeatOrders waits = waits_->Look(Clock::now() + milliseconds(5));
      EXPECT_FALSE(holds.granted > 0 && waits.granted > 0);
      if (so(holds, waits)) return true;
    }
    return false;
  }
  // Another pool follows one that was killed.
  void Replace() {
    int how = 0;
    if (::waitpid(pool_, &how, WNOHANG) != pool_) return;
    EXPECT_TRUE(WIFEXITED(how) && WEXITSTATUS(how) == kKilled) << how;
    died_ = true;
    StartPool(kNoStep, "");
    // It loses the one and finds the other, as a gang does that works; the one that waits sleeps.
    for (int i = 0; i < 2 && holds_; ++i) (void)holds_->Look(Clock::now());
  }

  // A gang that waits sees that the pool is gone, and looks again a while after another has come.
  void ReplaceUnseen() {
    ::kill(pool_, SIGKILL);
    int how = 0;
    ASSERT_EQ(::waitpid(pool_, &how, 0), pool_);
    (void)waits_->Look(Clock::now());
    StartPool(kNoStep, "");
    (void)holds_->Look(Clock::now());
    std::this_thread::sleep_for(milliseconds(50));
  }

  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  const std::filesystem::path socket_ = folder_.path() / "own" / "pool.sock";
  std::unique_ptr<SeatClaim> holds_, waits_;
  bool died_ = false;

 private:
  // It listens when this returns.
  void StartPool(int dies_at, const std::string& from) {
    PoolListener listener = ListenAsPool(socket_).ValueOrDie();
    pool_ = ::fork();
    ASSERT_GE(pool_, 0);
    if (pool_ == 0) ::_exit(Serve(std::move(listener), dies_at, from));
  }
  int Serve(PoolListener listener, int dies_at, const std::string& from) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    int step = from.empty() ? 0 : kNoStep;
    const auto on_step = [&](std::string_view name) {
      if (step == kNoStep && name != from) return;
      step = std::max(step, 0);
      if (step++ == dies_at) ::_exit(kKilled);
    };
    const PoolSettings settings{.socket = socket_,
                                .log = folder_.path() / "log",
                                .settle = milliseconds(300),
                                .step = on_step};
    auto pool = std::make_unique<PoolDaemon>(settings, std::move(listener));
    while (pool->Serve({}).ok()) {
      if (pool->successor().program.empty()) return 0;
      PoolHandover handover = pool->HandOver();
      pool = std::make_unique<PoolDaemon>(settings, std::move(handover));
    }
    return 1;
  }
  // Of the whole machine, so that no two fit.
  std::unique_ptr<SeatClaim> Make(const std::string& who) {
    return std::make_unique<SeatClaim>(
        socket_, Claim{.who = who, .min = kSeats, .max = kSeats, .per_worker = {.cores = kSeats}});
  }

  pid_t pool_ = -1;
};

TEST_F(PoolFaults, AKillAtAnyStepOfPlacingGivesNoSeatTwiceAndNobodyWaitsForEver) {
  int step = 0;
  do {
    SCOPED_TRACE(step);
    Begin(step, "");
    holds_->Ask();
    ASSERT_TRUE(Become([](const auto& holds, const auto&) { return holds.granted == kSeats; }));
    // Without a pool it would be granted at once.
    ASSERT_TRUE(Become([](const auto& holds, const auto&) { return holds.arbitrated; }));
    waits_->Ask();
    ASSERT_TRUE(Become([](const auto&, const auto& waits) { return !waits.why.empty(); }));
    holds_->GiveBack(kSeats);
    ASSERT_TRUE(Become([](const auto&, const auto& waits) { return waits.granted == kSeats; }));
    waits_->GiveBack(kSeats);
    ASSERT_TRUE(Become([](const auto&, const auto& waits) { return waits.arbitrated; }));
    End();
    ++step;
  } while (died_ && !HasFailure());
  EXPECT_GE(step, 10);
}

TEST_F(PoolFaults, AGangThatLooksSeldomWaitsForTheNextPoolToo) {
  Begin(kNoStep, "");
  holds_->Ask();
  ASSERT_TRUE(Become([](const auto& holds, const auto&) { return holds.granted == kSeats; }));
  waits_->Ask();
  ASSERT_TRUE(Become([](const auto&, const auto& waits) { return !waits.why.empty(); }));
  ReplaceUnseen();
  ASSERT_TRUE(Become([](const auto&, const auto& waits) { return !waits.why.empty(); }));
  holds_->GiveBack(kSeats);
  EXPECT_TRUE(Become([](const auto&, const auto& waits) { return waits.granted == kSeats; }));
  End();
}

TEST_F(PoolFaults, AKillAtAnyStepOfARestartLosesNoSeatAndNoTurn) {
  int step = 0;
  do {
    SCOPED_TRACE(step);
    Begin(step, "restart");
    holds_->Ask();
    ASSERT_TRUE(Become([](const auto& holds, const auto&) { return holds.granted == kSeats; }));
    waits_->Ask();
    ASSERT_TRUE(Become([](const auto&, const auto& waits) { return !waits.why.empty(); }));
    const auto asks = AttachToPool(socket_, "restart").ValueOrDie();
    ASSERT_TRUE(asks->Send({{"type", "restart"}, {"program", "/next"}}).ok());
    const auto answer = asks->Receive(Clock::now() + std::chrono::seconds(10));
    const bool answered = answer.ok() && *answer;
    if (answered) {
      EXPECT_EQ((*answer)->type, "restarted");
    }
    ASSERT_TRUE(Become([&](const auto& holds, const auto& waits) {
      EXPECT_EQ(holds.granted, kSeats);
      return holds.arbitrated && waits.arbitrated && !waits.why.empty();
    }));
    EXPECT_TRUE(answered || died_);
    holds_->GiveBack(kSeats);
    ASSERT_TRUE(Become([](const auto&, const auto& waits) { return waits.granted == kSeats; }));
    End();
    ++step;
  } while (died_ && !HasFailure());
  EXPECT_GE(step, 5);  // restart, hand over, take over, answer, taken over
}

}  // namespace
}  // namespace protium
