// SPDX-License-Identifier: Apache-2.0
// A worker at work on one task: a rank of a gang, or a partition of a task without one.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gang/failure.h"
#include "gang/placement.h"
#include "gang/roster.h"
#include "gang/waits.h"
#include "workers/pool.h"
#include "workers/slots.h"

namespace protium {

// What all members of a run share.
struct RunSpec {
  MapTask task;
  int64_t number = 0;  // Of the task, unique in this process; on every message about it.
  // Set for a gang.
  std::optional<Placement> placement;
  // For a gang with devices: the descriptor that holds a device's lease, to be inherited.
  std::function<int(const Device&)> lease_of;
  // For a gang that bends, called by the watching thread: one seat more, if there is room at this
  // moment, and one of the placement's back, which nobody uses any more.
  std::function<Result<std::optional<Seat>>()> take_seat;
  std::function<void(const Seat&)> give_back_seat;
  // Of a gang, called by the watching thread: a rank died on this seat of the placement. Whether
  // its devices are in quarantine from now on.
  std::function<bool(const Seat&)> died;
  // The gang's ranks; otherwise the most partitions there may be.
  int32_t most = 1;
  int32_t attempt = 0;
  // Seconds for which a rank may be silent or keep others waiting.
  double deadline = 60;
  // Of a gang that bends.
  std::optional<RosterLimits> bends;
  // Of a gang that bends, called by the watching thread: how many workers it may have.
  std::function<int32_t()> most_now;
  // A file in which a person writes how many workers there should be; empty: there is none.
  std::filesystem::path wish;
  // Folder of the logs; empty: members have none of their own.
  std::filesystem::path logs;
  // Which of the gangs that run at the same time this is, from 0: their logs must not mix.
  int32_t lane = 0;
  SchemaPtr input;

  // How often workers show that they live.
  std::chrono::milliseconds beat() const { return BeatOf(deadline); }
  // Who is late in a gang.
  WaitTerms wait_terms() const;
  // The kind of worker that this seat of the placement needs.
  WorkerWish MakeWish(int32_t seat) const;
};

// A batch that lies in a slot, as its worker is told of it. `memory` is set if the slot is new.
struct SentBatch {
  Json head;
  UniqueFd memory;
};

// Owned by its run. `input` is written by the feeding thread, `output` read by the caller's;
// `sight` is the watching thread's.
struct Member {
  int32_t rank = 0;       // Of a gang that bends: the number of the member (gang/roster.h).
  int32_t seat = 0;       // Of the placement.
  bool newcomer = false;  // It joins a gang that is at work, and gets no input.
  // Null once the run is over.
  std::unique_ptr<Worker> worker;
  // Outlives `worker`, since batches of the task may be held longer; dead when the worker is.
  std::weak_ptr<Link> link;
  SlotWriter input;
  std::unique_ptr<SlotReader> output;
  std::filesystem::path log;
  // Size of the log before this task: ranks of an earlier attempt wrote to the same file.
  int64_t log_begin = 0;
  int64_t sent = 0;  // Batches, in all.
  RankSight sight;   // Every message is a sign of life.
  // Nothing more is expected of it: it said "done", ended or fell silent.
  std::atomic<bool> done = false;
  bool input_ended = false;  // It was told; guarded by the run.
  // So many workers had its work before, and lost nothing of it. Of the watching thread.
  int32_t replaced = 0;
  std::mutex sending;            // Guards the next two, and `link` until it has begun.
  bool begun = false;            // It has taken or emitted a batch.
  std::vector<SentBatch> first;  // Without a gang: all that it was sent before.

  // It has taken or emitted a batch: what it has no other one can have.
  void Begun();

  // A message about this task, of this type.
  Json Head(const RunSpec& spec, const char* type) const;
  // Writes the batch into a slot and tells the worker. That the worker is gone is no error here:
  // whoever watches it finds out how it ended.
  Status Send(const RunSpec& spec, const arrow::RecordBatch& batch);
  // Hands the task, and all that was sent before, to `worker`.
  Status Hand(const RunSpec& spec, std::unique_ptr<Worker> worker,
              const std::vector<UniqueFd>& peers);
  // Sends a message; errors are dropped for the same reason.
  void Tell(const Json& head, std::string_view raw = {}, std::span<const int> fds = {}) const;
  // A failure of this member, with its place and its log's last lines of this attempt.
  RankFailure Failure(const RunSpec& spec, RankFailure::Kind kind, Status status, int64_t at) const;
  // "61.0 s in forward", or what its process waits for if that is stopped or it is `silent`.
  std::string Hang(bool silent) const;
};

// Hands the task to the worker. `peers` are this rank's sockets to the others, by rank; duplicated
// into the worker by the message.
struct MemberPlace {
  int32_t rank = 0;
  int32_t seat = 0;
  bool newcomer = false;
};
Result<std::unique_ptr<Member>> StartMember(const RunSpec& spec, const MemberPlace& place,
                                            std::unique_ptr<Worker> worker,
                                            const std::vector<UniqueFd>& peers);

// A socket between every two of `world` ranks: mesh[a][b] is a's end of the one to b, empty for a
// == b.
Result<std::vector<std::vector<UniqueFd>>> MakeMesh(int32_t world);

}  // namespace protium
