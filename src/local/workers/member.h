// SPDX-License-Identifier: Apache-2.0
// A worker at work on one task: a rank of a gang or a partition.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gang/failure.h"
#include "gang/placement.h"
#include "local/workers/pool.h"
#include "local/workers/slots.h"

namespace protium {

// What all members of a run share.
struct RunSpec {
  MapTask task;
  int64_t number = 0;                          // Of the task, on every channel.
  std::optional<Placement> placement;          // Of a gang.
  std::function<int(const Device&)> lease_of;  // Of a gang with devices: descriptors to inherit.
  int32_t most = 1;                            // Ranks of the gang; otherwise partitions at most.
  int32_t attempt = 0;
  double deadline = 60;        // Seconds.
  std::filesystem::path logs;  // Empty: none of its own.
  SchemaPtr input;

  std::chrono::milliseconds beat() const;
  // What kind of worker the next member needs.
  WorkerWish WishOf(int32_t rank) const;
};

struct Member {
  int32_t rank = 0;
  std::unique_ptr<Worker> worker;  // Nothing once the run is over.
  std::weak_ptr<Link> link;
  SlotWriter input;
  std::unique_ptr<SlotReader> output;
  std::filesystem::path log;
  int64_t log_begin = 0;  // Its size before this task.
  int64_t sent = 0;       // Batches.
  Clock::time_point heard;
  std::atomic<bool> done = false;

  Json Head(const RunSpec& spec, const char* type) const;
  // Writes the batch and tells the worker. A worker that is gone is no error here: whoever watches
  // it finds out how it ended.
  Status Send(const RunSpec& spec, const arrow::RecordBatch& batch);
  void Tell(const Json& head) const;
  // What is known of a failure of this member.
  RankFailure Failure(const RunSpec& spec, RankFailure::Kind kind, Status status, int64_t at) const;
};

// Hands the task to the worker. `peers`: this rank's sockets to the others, by rank.
Result<std::unique_ptr<Member>> StartMember(const RunSpec& spec, int32_t rank,
                                            std::unique_ptr<Worker> worker,
                                            const std::vector<UniqueFd>& peers);

// A socket between every two of `world` ranks: mesh[a][b] is a's end of that to b, empty for a ==
// b.
Result<std::vector<std::vector<UniqueFd>>> MakeMesh(int32_t world);

}  // namespace protium
