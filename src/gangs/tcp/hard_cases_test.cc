// SPDX-License-Identifier: Apache-2.0
// Ranks of worlds over TCP that die, hang, disagree or do not come.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <latch>

#include "base/fault.h"
#include "collective/testing/thread_ranks.h"
#include "os/socket.h"
#include "tcp/testing/thread_ranks.h"

namespace protium {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string ErrorText(const Status& status) { return status.ok() ? "ok" : FaultOf(status).what; }

class TcpHard : public testing::TestWithParam<bool> {
 protected:
  static TcpOptions Options() {
    TcpOptions options = LoopbackOptions();
    options.always_encrypt = GetParam();
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(Plain, TcpHard, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Tls, TcpHard, testing::Values(true));

TEST_P(TcpHard, RanksAreToldWhichOneLeft) {
  for (const int32_t world : {2, 3, 7}) {
    for (const int64_t count : {5, 300'000}) {
      const auto statuses = RunTcpRanks(world, Options(), [&](Communicator& communicator) {
        for (int step = 0;; ++step) {
          if (communicator.rank() == 1 && step == 3) return Status::OK();
          PT_TRY(ReduceFloats(communicator, count));
        }
      });
      for (int32_t r = 0; r < world; ++r) {
        EXPECT_EQ(ErrorText(statuses[size_t(r)]),
                  r == 1
                      ? "ok"
                      : "rank 1 is gone; the others were waiting for it in all-reduce (sum) of " +
                            std::to_string(count) + " float32 elements");
      }
    }
  }
}

TEST_P(TcpHard, RanksMayEndInGoodOrderBeforeOthersDo) {
  for (int round = 0; round < 5; ++round) {
    for (const Status& status : RunTcpRanks(3, Options(), [&](Communicator& communicator) {
           PT_TRY(ReduceFloats(communicator, 100'000));
           return communicator.Barrier("the end");
         })) {
      ASSERT_TRUE(status.ok()) << status;
    }
  }
}

TEST_P(TcpHard, RanksAreToldWhoAskedForWhatWhenTheyDisagree) {
  const auto statuses = RunTcpRanks(3, Options(), [&](Communicator& communicator) {
    PT_TRY(communicator.Barrier("start"));
    if (communicator.rank() == 0) return ReduceFloats(communicator, 5);
    if (communicator.rank() == 1) return ReduceFloats(communicator, 3'000'000);
    return communicator.Barrier("epoch");
  });
  for (const Status& status : statuses) {
    EXPECT_EQ(ErrorText(status),
              "ranks disagree: rank 0 asked for all-reduce (sum) of 5 float32 elements, rank 1 "
              "asked for all-reduce (sum) of 3000000 float32 elements, rank 2 asked for barrier "
              "\"epoch\"");
  }
}

TEST_P(TcpHard, RanksNameThoseWhoDidNotComeInTime) {
  TcpOptions options = Options();
  options.deadline = milliseconds(400);
  std::latch over(2);
  const auto statuses = RunTcpRanks(3, options, [&](Communicator& communicator) {
    PT_TRY(communicator.Barrier("start"));
    if (communicator.rank() != 1) {
      const Status status = communicator.Barrier("checkpoint");
      over.count_down();
      return status;
    }
    over.wait();
    // The others' requests have arrived; news of their end may come a moment later.
    PT_TRY(communicator.Barrier("checkpoint"));
    return communicator.Barrier("checkpoint");
  });
  for (const Status& status : statuses) {
    EXPECT_EQ(ErrorText(status), "rank 1 did not join barrier \"checkpoint\" within 0.4 s");
    EXPECT_EQ(FaultOf(status).exit, Exit::kStalled);
  }
}

TEST_P(TcpHard, AbortsReachRanksThatAreBusyElsewhere) {
  const auto statuses = RunTcpRanks(3, Options(), [&](Communicator& communicator) {
    if (communicator.rank() == 0) {
      communicator.Abort(Fail({.exit = Exit::kNoRoom, .what = "the disk is full"}));
      return Status::OK();
    }
    // Rank 0 leaves at once: what it sent must arrive before its end does.
    return ReduceFloats(communicator, communicator.rank() == 1 ? 4 : 2'000'000);
  });
  EXPECT_EQ(ErrorText(statuses[1]), "the disk is full");
  EXPECT_EQ(ErrorText(statuses[2]), "the disk is full");
}

// The thread sanitizer cannot follow a forked process that starts threads.
#if defined(__SANITIZE_THREAD__)
constexpr bool kMayFork = false;
#else
constexpr bool kMayFork = true;
#endif

// Ranks that are processes; each reports that it has begun, and then why it ended.
class TcpProcesses {
 public:
  TcpProcesses(int32_t world, const TcpOptions& options, int64_t count) {
    std::vector<TcpCandidate> candidates;
    std::vector<std::string> cards;
    for (int32_t r = 0; r < world; ++r) {
      candidates.push_back(TcpCandidate::Make(options, r, world).ValueOrDie());
      cards.push_back(candidates.back().card());
    }
    for (int32_t r = 0; r < world; ++r) {
      auto [here, there] = Channel::Pair().ValueOrDie();
      channels_.push_back(std::move(here));
      pids_.push_back(fork());
      if (pids_.back() != 0) continue;
      TcpCandidate own = std::move(candidates[size_t(r)]);
      candidates.clear();
      BeRank(std::move(own), cards, count, std::move(there));
    }
  }
  ~TcpProcesses() {
    for (size_t r = 0; r < pids_.size(); ++r) {
      Kill(r, SIGKILL);
      waitpid(pids_[r], nullptr, 0);
    }
  }

  void Kill(size_t rank, int signal) { kill(pids_[rank], signal); }
  // Waits until all have joined and stepped once.
  void AwaitStart() {
    for (size_t r = 0; r < pids_.size(); ++r) EXPECT_EQ(WhatRankSays(r), "ok");
  }
  // Waits up to five seconds.
  std::string WhatRankSays(size_t rank) {
    const auto said = channels_[rank].Receive(Clock::now() + std::chrono::seconds(5));
    return said.ok() && *said ? (*said)->bytes : "nothing";
  }

 private:
  [[noreturn]] static void BeRank(TcpCandidate candidate, const std::vector<std::string>& cards,
                                  int64_t count, Channel channel) {
    auto joined = std::move(candidate).Join(cards, Clock::now() + std::chrono::seconds(10));
    if (!joined.ok()) _exit(3);
    Status status = ReduceFloats(**joined, count);
    const auto say = [&] { (void)channel.Send(ErrorText(status), {}, kNever); };
    say();
    while (status.ok()) status = ReduceFloats(**joined, count);
    say();
    joined->reset();
    _exit(0);
  }

  std::vector<pid_t> pids_;
  std::vector<Channel> channels_;
};

TEST_P(TcpHard, ProcessesLearnAtOnceThatOneWasKilled) {
  if (!kMayFork) GTEST_SKIP() << "built with the thread sanitizer, which cannot follow forks";
  for (const int64_t count : {100, 2'000'000}) {
    TcpProcesses ranks(3, Options(), count);
    ranks.AwaitStart();
    const auto start = Clock::now();
    ranks.Kill(2, SIGKILL);
    EXPECT_THAT(ranks.WhatRankSays(0), StartsWith("rank 2 is gone"));
    EXPECT_THAT(ranks.WhatRankSays(1), StartsWith("rank 2 is gone"));
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
  }
}

TEST_P(TcpHard, ProcessesSayUnreachableOfOneThatIsSilent) {
  if (!kMayFork) GTEST_SKIP() << "built with the thread sanitizer, which cannot follow forks";
  TcpOptions options = Options();
  options.heartbeat = milliseconds(50);
  options.unreachable_after = milliseconds(500);
  TcpProcesses ranks(3, options, 100);
  ranks.AwaitStart();
  const auto start = Clock::now();
  ranks.Kill(2, SIGSTOP);
  const auto unreachable =
      AllOf(StartsWith("rank 2 on "), HasSubstr(" is unreachable: it has been silent for"));
  EXPECT_THAT(ranks.WhatRankSays(0), unreachable);
  EXPECT_THAT(ranks.WhatRankSays(1), unreachable);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace protium
