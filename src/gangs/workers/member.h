// SPDX-License-Identifier: Apache-2.0
// A worker that runs one task: a rank of a gang, or a partition of a task without one.
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
#include "workers/idle_workers.h"
#include "workers/slots.h"

namespace protium {

// Where a member runs.
struct MemberPlace {
  int32_t rank = 0;        // Of an elastic gang: the number of the member (gang/roster.h).
  int32_t seat = 0;        // Its number among the seats of the run.
  std::optional<Seat> at;  // That seat, if in a gang.
  bool newcomer = false;   // It joins a running gang.
  bool serves() const { return at && at->server; }
  bool TakesNoInput() const { return newcomer || serves(); }
};

// What all members of a run share. Constant while the run lasts.
struct RunSpec {
  MapTask task;
  int64_t number = 0;  // The task's, unique in this process; on every message about it.
  // Set for a gang: the seats that it begins with.
  std::optional<Placement> placement;
  // For a gang with devices: returns the descriptor that holds a device's lease, to be inherited.
  std::function<int(const Device&)> lease_of;
  // For an elastic gang, called by the watching thread: take_seat returns one more seat if there is
  // room now, give_back_seat frees a seat that nobody uses any more.
  std::function<Result<std::optional<Seat>>()> take_seat;
  std::function<void(const Seat&)> give_back_seat;
  // For a gang, called by the watching thread: a rank died on this seat. Returns whether its
  // devices are in quarantine from now on.
  std::function<bool(const Seat&)> died;
  // In a gang the number of ranks; otherwise the maximum number of partitions.
  int32_t most = 1;
  int32_t attempt = 0;
  // How many seconds a rank may be silent or keep others waiting.
  double deadline = 60;
  // Of an elastic gang.
  std::optional<RosterLimits> bends;
  // For an elastic gang, called by the watching thread: returns how many workers it may have.
  std::function<int32_t()> most_now;
  // File with the number of workers that a user wants; empty: none.
  std::filesystem::path wish;
  // Folder of the logs; empty: members have no logs of their own.
  std::filesystem::path logs;
  // The gang's index, from 0, among those that run at the same time: their logs must not mix.
  int32_t lane = 0;
  SchemaPtr input;

  bool gang() const { return placement.has_value(); }
  // How often workers give signs of life.
  std::chrono::milliseconds beat() const { return BeatOf(deadline); }
  // When a rank of a gang is late.
  WaitTerms wait_terms() const;
  // A rank that hangs counts as dead; otherwise the run ends.
  bool replaces_hung() const { return !task.gang || task.gang->replace_hung; }
  // Returns the kind of worker that a member in `place` needs.
  WorkerWish MakeWish(const MemberPlace& place) const;
};

// A batch in a slot, as described to its worker. `memory` is set if the slot is new.
struct SentBatch {
  Json head;
  UniqueFd memory;
};

// Owned by its run. The feeding thread writes `input`, the caller's reads `output`, and the
// watching one changes `worker`.
struct Member {
  Member(const RunSpec& spec, MemberPlace place) : spec(spec), place(std::move(place)) {}

  const RunSpec& spec;
  const MemberPlace place;
  // Null after the member was dismissed or the run is over.
  std::unique_ptr<Worker> worker;
  // Usable after `worker` is gone, since batches of the task may live longer; expired by then.
  std::weak_ptr<Link> link;
  SlotWriter input;
  std::unique_ptr<SlotReader> output;
  std::filesystem::path log;
  // Size of the log before this task: ranks of an earlier attempt wrote to the same file.
  int64_t log_begin = 0;
  // Nothing more is expected of it: it sent "done", ended or fell silent.
  std::atomic<bool> done = false;
  std::mutex sending;            // Guards the next three, and `link` until it has begun.
  bool begun = false;            // Set by the watching thread.
  bool input_ended = false;      // "end" was sent.
  std::vector<SentBatch> first;  // Without a gang: all batches sent before it began.

  int32_t rank() const { return place.rank; }
  // It has taken or emitted a batch: from now on no other worker can take over what it has.
  void Begun();

  // Returns the head of a message of this type about this task.
  Json Head(const char* type) const;
  // Sends a message. It is no error here if the worker is gone: whoever watches it finds out how it
  // ended. This is true of the next two as well.
  void Send(const Json& head, std::string_view raw = {}, std::span<const int> fds = {}) const;
  // Writes the batch into a slot and sends a message about it.
  Status SendBatch(const arrow::RecordBatch& batch);
  void EndInput();
  // Passes the task, and all that was sent before, to `next`. `peers` are this rank's sockets to
  // the others, by rank; the message duplicates them into the worker.
  Status Hand(std::unique_ptr<Worker> next, const std::vector<UniqueFd>& peers);
  // Kills and reaps its process, even if stopped: it must not wake up and go on.
  void Dismiss();
  // Returns a failure of this member, with its seat and the last lines of its log in this attempt.
  RankFailure Failure(RankFailure::Kind kind, Status status, Clock::time_point at) const;
  // Returns "its process is stopped", or what else the system says of a worker that is `silent` or
  // late; empty: nothing.
  std::string WhyStill(bool silent) const;
};

// Passes the task to the worker. `spec` must outlive the member.
Result<std::unique_ptr<Member>> StartMember(const RunSpec& spec, MemberPlace place,
                                            std::unique_ptr<Worker> worker,
                                            const std::vector<UniqueFd>& peers);

// Makes a socket between every two of `world` ranks: mesh[a][b] is a's end of the one to b, empty
// for a == b.
Result<std::vector<std::vector<UniqueFd>>> MakeMesh(int32_t world);

}  // namespace protium
