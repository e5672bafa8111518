// SPDX-License-Identifier: Apache-2.0
// The worlds of every backend, and what sums are compared with. A new backend adds its worlds to
// Worlds().
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
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

// Numbers of many sizes and either sign, whose sum depends on the order.
inline std::vector<std::vector<float>> MakeLeaves(int32_t leaves, int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<float>> out(static_cast<size_t>(leaves));
  for (auto& leaf : out) {
    for (int64_t i = 0; i < count; ++i) {
      leaf.push_back(std::ldexp(float(random()) - 2e9f, int(random() % 40) - 20));
    }
  }
  return out;
}

// The tree's expected result, computed from its definition alone: each leaf and each sum is
// `rounded`, if that is given.
inline float Halving(const std::vector<std::vector<float>>& leaves, size_t begin, size_t end,
                     size_t i, float (*rounded)(float) = nullptr) {
  float value = leaves[begin][i];
  if (end - begin > 1) {
    const size_t middle = begin + (end - begin) / 2;
    value = Halving(leaves, begin, middle, i, rounded) + Halving(leaves, middle, end, i, rounded);
  }
  return rounded == nullptr ? value : rounded(value);
}

}  // namespace protium
