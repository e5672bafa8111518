// SPDX-License-Identifier: Apache-2.0
// When one rank fails, many do. What a person is told is the one that began it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "gang/task.h"

namespace protium {

struct RankFailure {
  enum class Kind {
    kAnswered,  // The task returned or threw the error `status`.
    kEnded,     // The process ended in the middle of its task.
    kSilent,    // The process was not heard of for the deadline.
  };
  Kind kind = Kind::kAnswered;
  std::string role = "rank";  // "partition", without a gang.
  int32_t rank = 0;
  int32_t world = 1;
  std::string host;
  std::vector<Device> devices;
  Status status;              // The task's, or what was seen of the process.
  int64_t at = 0;             // Nanoseconds on the clock that the ranks share.
  std::filesystem::path log;  // Empty: none.
  std::string last_lines;     // Of the log, of this attempt.
};

// The failure that the others followed from: a process that ended, then one that fell silent, then
// the earliest error of a rank's own, then the earliest error about other ranks. `failures` is not
// empty.
const RankFailure& FindCause(std::span<const RankFailure> failures);

// Is the error about other ranks: one that did not come or is gone, or a stop by the driver?
bool IsAboutOthers(const RankFailure& failure);

// Could the same attempt go better a second time? Not when a task refused its data or its settings,
// or found a bug; yes when a process was lost, fell silent or lost its peers.
bool RestartMayHelp(const RankFailure& cause);

// One fault for all of them: rank, host, devices, what happened, the last lines of the log; the
// others are counted.
Status ReportFailure(std::span<const RankFailure> failures);

}  // namespace protium
