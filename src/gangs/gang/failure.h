// SPDX-License-Identifier: Apache-2.0
// When one rank fails, the others usually fail after it, each with an error of its own. A person is
// told of the one that began it.
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
  bool is_program = false;    // Its task runs a program (gang/program.h).
};

// The failure that the others followed from: a process that ended, then one that fell silent, then
// the earliest error of a rank's own, then the earliest error about other ranks. `failures` is not
// empty.
const RankFailure& FindCause(std::span<const RankFailure> failures);

// Whether a collective call failed because some rank is gone or late, or its generation is over,
// and nothing is wrong with this one.
bool IsAboutPeers(const Status& status);

// Whether the error is about other ranks (one did not come or is gone) or a stop by the driver:
// then it is a consequence.
bool IsAboutOthers(const RankFailure& failure);

// Where all of `failures` are about other ranks, adds `lost`: what became of those that the gang
// went on without is what the others failed of, and is not among `failures` by itself.
void AddLost(std::span<const RankFailure> lost, std::vector<RankFailure>& failures);

// Whether it may be due to what the rank ran on: its process ended or fell silent, or the program
// did for which it stands.
bool IsDeath(const RankFailure& failure);

// Whether the same attempt could go better a second time. Not when a task refused its data or its
// settings, or found a bug; yes when a process was lost, fell silent or lost its peers, and when a
// program failed, which may go on from checkpoints of its own.
bool RestartMayHelp(const RankFailure& cause);

// One fault for all of them, with the exit code of the cause: rank, host, devices, what happened,
// and where the process did not answer itself, the last lines of its log. The others are counted.
// `failures` is not empty.
Status ReportFailure(std::span<const RankFailure> failures);

}  // namespace protium
