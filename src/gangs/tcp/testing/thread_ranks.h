// SPDX-License-Identifier: Apache-2.0
// Worlds over TCP whose ranks are threads of this process: for tests.
#pragma once

#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tcp/candidate.h"

namespace protium {

// Loopback only, with a key that is not secret.
inline TcpOptions LoopbackOptions() {
  return {.key = std::string(32, 'k'), .shared_memory = false, .addresses = {"127.0.0.1"}};
}

// Runs `body` on every rank, each on its own thread; returns each rank's status. A rank's
// communicator is destroyed at the end of its body.
inline std::vector<Status> RunTcpRanks(int32_t world, const TcpOptions& options,
                                       const std::function<Status(Communicator&)>& body) {
  std::vector<std::string> cards(static_cast<size_t>(world));
  std::vector<Status> statuses(static_cast<size_t>(world));
  std::barrier gathered(world);
  const auto be_rank = [&](int32_t rank) -> Status {
    auto candidate = TcpCandidate::Make(options, rank, world);
    if (candidate.ok()) cards[size_t(rank)] = candidate->card();
    gathered.arrive_and_wait();
    if (!candidate.ok()) gathered.arrive_and_drop();
    PT_TRY(candidate.status());
    auto communicator = std::move(*candidate).Join(cards, Clock::now() + std::chrono::seconds(30));
    gathered.arrive_and_wait();  // No body runs, and can fail, while others join.
    PT_TRY(communicator.status());
    return body(**communicator);
  };
  std::vector<std::jthread> ranks;
  for (int32_t r = 0; r < world; ++r) {
    ranks.emplace_back([&, r] { statuses[size_t(r)] = be_rank(r); });
  }
  ranks.clear();
  return statuses;
}

}  // namespace protium
