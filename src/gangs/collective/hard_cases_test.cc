// SPDX-License-Identifier: Apache-2.0
// Ranks of shared-memory worlds that die, disagree or do not come.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault.h"
#include "collective/testing/thread_ranks.h"

namespace protium {
namespace {

using std::chrono::milliseconds;

std::vector<std::string> ErrorTexts(const std::vector<Status>& statuses) {
  std::vector<std::string> whats;
  for (const Status& status : statuses) {
    whats.push_back(status.ok() ? "ok" : FaultOf(status).what);
  }
  return whats;
}

TEST(SharedRanks, AreToldWhichRankDied) {
  for (const int32_t world : {2, 3, 7}) {
    const auto statuses = RunThreadRanks(world, {}, [&](Communicator& communicator) {
      for (int step = 0;; ++step) {
        if (communicator.rank() == 1 && step == 5) return Status::OK();
        PT_TRY(ReduceFloats(communicator, 5));
      }
    });
    for (int32_t r = 0; r < world; ++r) {
      EXPECT_EQ(ErrorTexts(statuses)[size_t(r)],
                r == 1 ? "ok"
                       : "rank 1 is gone; the others were waiting for it in all-reduce (sum) of 5 "
                         "float32 elements");
    }
  }
}

TEST(SharedRanks, MayEndInGoodOrderBeforeOthersDo) {
  for (int round = 0; round < 50; ++round) {
    const auto statuses = RunThreadRanks(
        3, {}, [&](Communicator& communicator) { return communicator.Barrier("the end"); });
    for (const Status& status : statuses) ASSERT_TRUE(status.ok()) << status;
  }
}

// Each pair of requests, and the text that every rank gets.
TEST(SharedRanks, AreToldWhoAskedForWhatWhenTheyDisagree) {
  const auto disagree = [](const std::function<Status(Communicator&)>& zero,
                           const std::function<Status(Communicator&)>& one) {
    const auto statuses = RunThreadRanks(2, {}, [&](Communicator& communicator) {
      PT_TRY(communicator.Barrier("start"));
      return communicator.rank() == 0 ? zero(communicator) : one(communicator);
    });
    EXPECT_EQ(ErrorTexts(statuses)[0], ErrorTexts(statuses)[1]);
    return ErrorTexts(statuses)[0];
  };
  const auto floats = [](int64_t count) {
    return [count](Communicator& communicator) { return ReduceFloats(communicator, count); };
  };
  EXPECT_EQ(disagree(floats(5), floats(300'000)),
            "ranks disagree: rank 0 asked for all-reduce (sum) of 5 float32 elements, rank 1 asked "
            "for all-reduce (sum) of 300000 float32 elements");
  EXPECT_EQ(disagree(floats(2),
                     [](Communicator& communicator) {
                       std::array<double, 2> values{};
                       return communicator.AllReduce(AsBuffer(std::span<double>(values)), Op::kMax);
                     }),
            "ranks disagree: rank 0 asked for all-reduce (sum) of 2 float32 elements, rank 1 asked "
            "for all-reduce (max) of 2 float64 elements");
  EXPECT_EQ(
      disagree(floats(2), [](Communicator& communicator) { return communicator.Barrier("epoch"); }),
      "ranks disagree: rank 0 asked for all-reduce (sum) of 2 float32 elements, rank 1 asked "
      "for barrier \"epoch\"");
  EXPECT_EQ(disagree([](Communicator& communicator) { return communicator.Broadcast({}, 0); },
                     [](Communicator& communicator) { return communicator.Broadcast({}, 1); }),
            "ranks disagree: rank 0 asked for broadcast of 0 bytes from rank 0, rank 1 asked for "
            "broadcast of 0 bytes from rank 1");
  const auto tree = [](int64_t count) {
    return [count](Communicator& communicator) {
      return communicator.MakeTree({.leaves = 2, .count = count, .first = {0, 1, 2}}).status();
    };
  };
  EXPECT_NE(
      disagree(tree(3), tree(4)).find("rank 1 asked for a new tree of 2 leaves of 4 elements"),
      std::string::npos);
}

TEST(SharedRanks, NameThoseWhoDidNotComeInTime) {
  std::atomic<bool> over = false;
  const auto statuses =
      RunThreadRanks(3, {.deadline = milliseconds(150)}, [&](Communicator& communicator) {
        PT_TRY(communicator.Barrier("start"));
        if (communicator.rank() == 1) {
          over.wait(false);
          return communicator.Barrier("checkpoint");
        }
        const Status status = communicator.Barrier("checkpoint");
        over = true;
        over.notify_all();
        return status;
      });
  for (const Status& status : statuses) {
    EXPECT_EQ(FaultOf(status).what, "rank 1 did not join barrier \"checkpoint\" within 0.15 s");
    EXPECT_EQ(FaultOf(status).exit, Exit::kStalled);
  }
}

TEST(SharedRanks, StartWithinTheirDeadline) {
  auto ends = ConnectRanks(2).ValueOrDie();
  const auto made = MakeSharedCommunicator(1, std::move(ends[1]), {.deadline = milliseconds(50)});
  EXPECT_EQ(FaultOf(made.status()).exit, Exit::kStalled) << made.status();
  ends[0].clear();
  auto others = ConnectRanks(2).ValueOrDie();
  others[0].clear();
  const auto alone = MakeSharedCommunicator(1, std::move(others[1]), {});
  EXPECT_EQ(FaultOf(alone.status()).what,
            "rank 0 is gone; the others were waiting for it in the start of the gang");
  // And the other way round: if a rank is gone when rank 0 sends the board, that is no error of
  // rank 0's own.
  auto first = ConnectRanks(2).ValueOrDie();
  first[1].clear();
  const auto left = MakeSharedCommunicator(0, std::move(first[0]), {});
  EXPECT_EQ(FaultOf(left.status()).what,
            "rank 1 is gone; the others were waiting for it in the start of the gang");
  EXPECT_EQ(FaultOf(left.status()).exit, Exit::kRemote);
}

// One rank of a world of processes; exits with 0 if it learns that rank 2 is gone.
[[noreturn]] void BeRank(int32_t rank, std::vector<std::vector<UniqueFd>> ends) {
  std::vector<UniqueFd> own = std::move(ends[size_t(rank)]);
  ends.clear();
  auto made = MakeSharedCommunicator(rank, std::move(own), {});
  if (!made.ok()) _exit(3);
  Communicator& communicator = **made;
  Status status;
  for (int step = 0; status.ok(); ++step) {
    status = ReduceFloats(communicator, step % 2 == 0 ? 100 : 100'000);
    if (status.ok() && rank == 2 && step == 20) kill(getpid(), SIGKILL);
  }
  _exit(FaultOf(status).what.starts_with("rank 2 is gone") ? 0 : 4);
}

TEST(SharedRanks, AsProcessesSurviveTheKillingOfOne) {
  auto ends = ConnectRanks(3).ValueOrDie();
  std::vector<pid_t> pids;
  for (int32_t r = 0; r < 3; ++r) {
    pids.push_back(fork());
    if (pids.back() == 0) BeRank(r, std::move(ends));
  }
  ends.clear();
  for (int32_t r = 0; r < 3; ++r) {
    int state = 0;
    ASSERT_EQ(waitpid(pids[size_t(r)], &state, 0), pids[size_t(r)]);
    if (r == 2) {
      EXPECT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL);
    } else {
      EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0) << "rank " << r << " " << state;
    }
  }
}

}  // namespace
}  // namespace protium
