// SPDX-License-Identifier: Apache-2.0
// Which rank sits on which host, with which cores and devices. Pure arithmetic: starts nothing,
// reads no clock. Three answers are kept apart: placed, not now, never.
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

// What another gang or task holds of a host at the moment.
struct Holding {
  std::string who;  // "gang train"
  int32_t cores = 0;
  std::vector<Device> gpus;
};

struct Host {
  std::string name;
  int32_t cores = 1;
  bool strict = true;  // Seats are cores. Otherwise a gang may have more ranks than cores.
  std::vector<Device> gpus;
  std::vector<Holding> holdings;
};

struct Seat {
  int32_t rank = 0;
  std::string host;
  int32_t cores = 1;
  std::vector<Device> gpus;
};

struct Placement {
  std::vector<Seat> seats;  // By rank.
  std::string note;         // Says when ranks share cores; else empty.
};

// The gang would fit on idle hosts. `why` tells who holds what.
struct NotNow {
  std::string why;
};

// Seats the whole gang or nobody, rank 0 on the first host that fits. A gang that would not fit
// even on idle hosts is a fault of exit kUsage that names the number which does not fit: waiting
// cannot help. So is a spec out of range.
Result<std::variant<Placement, NotNow>> Place(const GangSpec& gang, std::span<const Host> hosts);

// Which of the ranks on its own host a rank is, and how many there are.
struct OnHost {
  int32_t rank = 0;
  int32_t world = 0;
};
// `hosts` are those of all ranks, by rank.
OnHost FindOnHost(std::span<const std::string> hosts, int32_t rank);

// {"ranks": [{"rank", "host", "cores", "gpus": ["0"]}, ...], "note"}
Json PlacementToJson(const Placement& placement);

}  // namespace protium
