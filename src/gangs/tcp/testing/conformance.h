// SPDX-License-Identifier: Apache-2.0
// The worlds of every backend, and what sums are compared with. A new backend adds its worlds to
// Worlds().
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "collective/self.h"
#include "collective/testing/thread_ranks.h"
#include "tcp/testing/thread_ranks.h"

namespace protium {

using Body = std::function<Status(Communicator&)>;

struct World {
  std::string name;
  int32_t ranks = 1;
  std::function<std::vector<Status>(const Body&)> run;
};

inline void AddTcp(std::vector<World>& worlds, const std::string& name, int32_t ranks,
                   const TcpOptions& options) {
  worlds.push_back({name + std::to_string(ranks), ranks, [ranks, options](const Body& body) {
                      return RunTcpRanks(ranks, options, body);
                    }});
}

inline std::vector<World> Worlds() {
  std::vector<World> worlds;
  worlds.push_back({"self1", 1, [](const Body& body) {
                      return std::vector<Status>{body(*MakeSelfCommunicator())};
                    }});
  for (const int32_t ranks : {1, 2, 3, 7}) {
    worlds.push_back({"shared" + std::to_string(ranks), ranks,
                      [ranks](const Body& body) { return RunThreadRanks(ranks, {}, body); }});
    TcpOptions options = LoopbackOptions();
    AddTcp(worlds, "tcp", ranks, options);
    options.always_encrypt = true;
    AddTcp(worlds, "tls", ranks, options);
    options.shared_memory = true;
    AddTcp(worlds, "memfd", ranks, options);
  }
  return worlds;
}

class Conformance : public testing::TestWithParam<World> {
 protected:
  int32_t ranks() const { return GetParam().ranks; }
  void Run(const Body& body) {
    for (const Status& status : GetParam().run(body)) EXPECT_TRUE(status.ok()) << status;
  }
  std::vector<Status> Failures(const Body& body) { return GetParam().run(body); }
};

// The tree's expected result, computed from its definition alone.
inline float Halving(const std::vector<std::vector<float>>& leaves, size_t begin, size_t end,
                     size_t i) {
  if (end - begin == 1) return leaves[begin][i];
  const size_t middle = begin + (end - begin) / 2;
  return Halving(leaves, begin, middle, i) + Halving(leaves, middle, end, i);
}

}  // namespace protium
