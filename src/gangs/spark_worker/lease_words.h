// SPDX-License-Identifier: Apache-2.0
// The messages between the driver of a lease (spark/gang/lease.h) and its tasks, in the folder of
// events: each task appends to its own file (spark_worker/event_tail.h), the driver to kLeaseFile,
// which all tasks follow. All lines are JSON objects.
//
// From a task, besides its events and beats, {"type": ...}:
//   here      "attempt", "host", "pid", "executor", "devices": it has a slot and waits for a place
//   card      "generation", "card": where this rank of the generation can be reached
//   shared    "memories": its rows are in SharedRowsFile(member, 0 ..), their text in PartFile
//   prepared, failed, entered: gang/gang_member.h
//   notice    its process got SIGTERM
//   done      "status": {} after a success; what it emitted is in RowsFile
// From the driver, {"type": ...}:
//   place     "task", "member", "world", "newcomer": the task is this member; for the `world`
//             members that are in from the start, the member is the rank
//   leave     "task": it is not needed, and ends
//   parts     "memories": all have shared, member i this many files
//   call      "generation", "members", "leaving", "cut", "why"
//   cards     "generation", "cards": of all its ranks
//   over      all tasks end
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace protium {

inline constexpr char kLeaseFile[] = "lease";

// By task attempt: what a task emits, as an Arrow stream.
inline std::string RowsFile(int64_t task) { return "rows-" + std::to_string(task) + ".arrow"; }
// By member.
inline std::string PartFile(int32_t member) { return "part-" + std::to_string(member); }
inline std::string SharedRowsFile(int32_t member, size_t memory) {
  return "shared-" + std::to_string(member) + "-" + std::to_string(memory);
}

}  // namespace protium
