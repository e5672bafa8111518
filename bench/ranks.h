// SPDX-License-Identifier: Apache-2.0
// Shared by the benchmarks: ranks that are processes, and how a figure is printed.
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "collective/testing/thread_ranks.h"
#include "tcp/candidate.h"

namespace protium {

// Prints one JSON line; bench/bench.py collects them by name.
inline void PrintFigure(std::string_view figure, double value, std::string_view unit) {
  const std::string line = Dump(Json{{"figure", figure}, {"value", value}, {"unit", unit}});
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

using RankBody = std::function<Status(Communicator&)>;

// Runs be_rank(r) for every rank. Rank 0 is this process, the others are forked from it and end
// with it; call it while there is only one thread.
inline Status ForkRanks(int32_t world, const std::function<Status(int32_t rank)>& be_rank) {
  std::vector<pid_t> children;
  for (int32_t rank = 1; rank < world; ++rank) {
    const pid_t child = fork();
    if (child < 0) return Status::IOError("a rank could not be started");
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const Status status = be_rank(rank);
      if (!status.ok()) std::fprintf(stderr, "rank %d: %s\n", rank, status.ToString().c_str());
      _exit(status.ok() ? 0 : 1);
    }
    children.push_back(child);
  }
  Status status = be_rank(0);
  for (const pid_t child : children) {
    int how = 0;
    waitpid(child, &how, 0);
    if (status.ok() && how != 0) status = Status::UnknownError("a rank failed");
  }
  return status;
}

// Runs `body` on every rank of a shared-memory world of processes.
inline Status RunProcessRanks(int32_t world, const RankBody& body) {
  PT_LET(auto ends, ConnectRanks(world));
  return ForkRanks(world, [&](int32_t rank) -> Status {
    std::vector<UniqueFd> own = std::move(ends[size_t(rank)]);
    ends.clear();  // A copy of another rank's end would hide that rank's death.
    PT_LET(const auto communicator, MakeSharedCommunicator(rank, std::move(own), {}));
    return body(*communicator);
  });
}

// The same over TCP on the loopback interface.
inline Status RunTcpProcessRanks(int32_t world, const RankBody& body) {
  const TcpOptions options{
      .key = std::string(32, 'k'), .shared_memory = false, .addresses = {"127.0.0.1"}};
  std::vector<TcpCandidate> candidates;
  std::vector<std::string> cards;
  for (int32_t rank = 0; rank < world; ++rank) {
    PT_LET(TcpCandidate candidate, TcpCandidate::Make(options, rank, world));
    cards.push_back(candidate.card());
    candidates.push_back(std::move(candidate));
  }
  return ForkRanks(world, [&](int32_t rank) -> Status {
    TcpCandidate own = std::move(candidates[size_t(rank)]);
    candidates.clear();
    PT_LET(const auto communicator,
           std::move(own).Join(cards, Clock::now() + std::chrono::seconds(30)));
    return body(*communicator);
  });
}

// Returns main's exit code.
inline int ExitCode(const Status& status) {
  if (!status.ok()) std::fprintf(stderr, "bench: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace protium
