// SPDX-License-Identifier: Apache-2.0
// When one rank fails, the others usually fail after it, each with an error of its own. The user is
// shown the one that came first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "gang/task.h"

namespace protium {

// How one rank, or one partition, failed, as its launcher saw it.
struct RankFailure {
  enum class Kind {
    kAnswered,  // The task returned or threw the error `status`.
    kEnded,     // The process ended in the middle of its task.
    kSilent,    // The process gave no sign of life within the deadline.
  };
  Kind kind = Kind::kAnswered;
  std::string role = "rank";  // "partition", without a gang.
  int32_t rank = 0;
  int32_t world = 1;
  std::string host;
  std::vector<Device> devices;
  Status status;              // The task's, or what was observed of the process.
  int64_t at = 0;             // Nanoseconds on the clock that the ranks share.
  std::filesystem::path log;  // Empty: none.
  std::string last_lines;     // Of this attempt, from the log.
  bool is_program = false;    // Its task runs a program (gang/program.h).
  bool server = false;        // It holds rows for the others (GangSpec::servers).
};

// Returns the failure that the others followed from: a process that ended, else one that fell
// silent, else the earliest error of a rank's own, else the earliest error about other ranks.
// `failures` must not be empty.
const RankFailure& FindCause(std::span<const RankFailure> failures);

// Whether a collective call failed because some rank is gone or late, or because its generation is
// over, while nothing is wrong with this rank.
bool IsAboutPeers(const Status& status);

// Whether the error is about other ranks (one did not come or is gone) or a stop by the driver, and
// therefore a consequence.
bool IsAboutOthers(const RankFailure& failure);

// If all of `failures` are about other ranks, adds `lost`: the failures of the members that the
// gang went on without caused the others, and are not among `failures` yet.
void AddLost(std::span<const RankFailure> lost, std::vector<RankFailure>& failures);

// Whether the failure may be due to what the rank ran on: its process, or the program that it
// stands for, ended or fell silent.
bool IsDeath(const RankFailure& failure);

// Whether the same attempt could succeed a second time. No if a task refused its data or its
// settings, or found a bug. Yes if a process was lost, fell silent or lost its peers, and if a
// program failed, since it may go on from checkpoints of its own.
bool RestartMayHelp(const RankFailure& cause);

// Returns one error for all of them, with the exit code of the cause: rank, host, devices, what
// happened and, if the process did not report itself, the last lines of its log. The others are
// only counted. `failures` must not be empty.
Status ReportFailure(std::span<const RankFailure> failures);

}  // namespace protium
