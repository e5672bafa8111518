// SPDX-License-Identifier: Apache-2.0
// Worlds whose ranks are threads of this process: for tests and benchmarks.
#pragma once

#include <functional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "collective/shared/communicator.h"
#include "os/socket.h"

namespace protium {

// ends[a][b] is rank a's end of the socket pair of ranks a and b.
inline Result<std::vector<std::vector<UniqueFd>>> ConnectRanks(int32_t world) {
  std::vector<std::vector<UniqueFd>> ends(static_cast<size_t>(world));
  for (auto& own : ends) own.resize(size_t(world));
  for (size_t a = 0; a < ends.size(); ++a) {
    for (size_t b = a + 1; b < ends.size(); ++b) {
      PT_LET(auto pair, SocketPair());
      ends[a][b] = std::move(pair.first);
      ends[b][a] = std::move(pair.second);
    }
  }
  return ends;
}

// Runs `body` on every rank of a shared-memory world, each on its own thread; returns each rank's
// status. A rank's communicator is destroyed at the end of its body, so a body that returns early
// is a rank that died.
inline std::vector<Status> RunThreadRanks(int32_t world, const CommunicatorOptions& options,
                                          const std::function<Status(Communicator&)>& body) {
  auto ends = ConnectRanks(world);
  std::vector<Status> statuses(static_cast<size_t>(world), ends.status());
  if (!ends.ok()) return statuses;
  std::vector<std::jthread> ranks;
  for (int32_t r = 0; r < world; ++r) {
    ranks.emplace_back([&, r] {
      auto made = MakeSharedCommunicator(r, std::move((*ends)[size_t(r)]), options);
      statuses[size_t(r)] = made.ok() ? body(**made) : made.status();
    });
  }
  ranks.clear();
  return statuses;
}

// A collective call of any size, for tests of the ranks, not of the values.
inline Status ReduceFloats(Communicator& communicator, int64_t count) {
  std::vector<float> values(static_cast<size_t>(count), 1);
  return communicator.AllReduce(AsBuffer(std::span(values)), Op::kSum);
}

}  // namespace protium
