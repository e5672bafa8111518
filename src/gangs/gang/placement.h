// SPDX-License-Identifier: Apache-2.0
// Which rank sits on which host, with which cores and devices. Pure arithmetic: starts nothing,
// reads no clock. Distinguishes three results: placed, not now, never.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "gang/task.h"
#include "plan/node.h"

namespace protium {

// The most ranks of a gang that goes on after one has died: each gets up to four files from each
// other in one message.
inline constexpr int32_t kMostBending = 64;

// What another gang or task holds on a host at the moment.
struct Holding {
  std::string who;  // "gang train"
  int32_t cores = 0;
  std::vector<Device> gpus;
};

struct Host {
  std::string name;
  int32_t cores = 1;
  bool strict = true;  // Each rank needs cores of its own; otherwise ranks may share cores.
  std::vector<Device> gpus;
  std::vector<Holding> holdings;
};

struct Seat {
  int32_t rank = 0;
  std::string host;
  int32_t cores = 1;
  bool server = false;  // GangSpec::servers.
  std::vector<Device> gpus;
};

struct Placement {
  std::vector<Seat> seats;  // By rank.
  std::string note;         // Set if ranks share cores; else empty.
};

// The gang would fit on idle hosts. `why` says who holds what.
struct NotNow {
  std::string why;
};

// Seats the whole gang or nobody, rank 0 on the first host that fits. A gang that would not fit
// even on idle hosts is an error (kUsage) that names the number which does not fit, since waiting
// cannot help. So is a spec out of range.
Result<std::variant<Placement, NotNow>> Place(const GangSpec& gang, std::span<const Host> hosts);

// A rank's index among the ranks of its own host, and how many those are.
struct OnHost {
  int32_t rank = 0;
  int32_t world = 0;
};
// `hosts` has the host of each rank, by rank.
OnHost FindOnHost(std::span<const std::string> hosts, int32_t rank);

// {"ranks": [{"rank", "host", "cores", "gpus": ["0"], "server" where it is one}, ...], "note"}
Json PlacementToJson(const Placement& placement);

}  // namespace protium
