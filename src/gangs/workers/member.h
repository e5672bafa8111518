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

// Where a member is.
struct MemberPlace {
  int32_t rank = 0;        // Of an elastic gang: the number of the member (gang/roster.h).
  int32_t seat = 0;        // Its number among the seats of the run.
  std::optional<Seat> at;  // That seat, of a gang.
  bool newcomer = false;   // It joins a gang that is at work, and gets no input.
};

// What all members of a run share. Nothing of it changes while the run lasts.
struct RunSpec {
  MapTask task;
  int64_t number = 0;  // Of the task, unique in this process; on every message about it.
  // Set for a gang: the seats that it begins with.
  std::optional<Placement> placement;
  // For a gang with devices: the descriptor that holds a device's lease, to be inherited.
  std::function<int(const Device&)> lease_of;
  // For an elastic gang, called by the watching thread: one seat more, if there is room at this
  // moment, and one back that nobody uses any more.
  std::function<Result<std::optional<Seat>>()> take_seat;
  std::function<void(const Seat&)> give_back_seat;
  // Of a gang, called by the watching thread: a rank died on this seat. Whether its devices are in
  // quarantine from now on.
  std::function<bool(const Seat&)> died;
  // The gang's ranks; otherwise the most partitions there may be.
  int32_t most = 1;
  int32_t attempt = 0;
  // Seconds for which a rank may be silent or keep others waiting.
  double deadline = 60;
  // Of an elastic gang.
  std::optional<RosterLimits> bends;
  // Of an elastic gang, called by the watching thread: how many workers it may have.
  std::function<int32_t()> most_now;
  // A file in which a person writes how many workers there should be; empty: there is none.
  std::filesystem::path wish;
  // Folder of the logs; empty: members have none of their own.
  std::filesystem::path logs;
  // Which of the gangs that run at the same time this is, from 0: their logs must not mix.
  int32_t lane = 0;
  SchemaPtr input;

  bool gang() const { return placement.has_value(); }
  // How often workers show that they live.
  std::chrono::milliseconds beat() const { return BeatOf(deadline); }
  // Who is late in a gang.
  WaitTerms wait_terms() const;
  // A rank that hangs counts as dead; otherwise the run ends.
  bool replaces_hung() const { return !task.gang || task.gang->replace_hung; }
  // The kind of worker that a member in this place needs.
  WorkerWish MakeWish(const MemberPlace& place) const;
};

// A batch that lies in a slot, as its worker is notified of it. `memory` is set if the slot is new.
struct SentBatch {
  Json head;
  UniqueFd memory;
};

// Owned by its run. `input` is written by the feeding thread, `output` read by the caller's, and
// `worker` changed by the watching one.
struct Member {
  Member(const RunSpec& spec, MemberPlace place) : spec(spec), place(std::move(place)) {}

  const RunSpec& spec;
  const MemberPlace place;
  // Null once the member was dismissed or the run is over.
  std::unique_ptr<Worker> worker;
  // Outlives `worker`, since batches of the task may be held longer; dead when the worker is.
  std::weak_ptr<Link> link;
  SlotWriter input;
  std::unique_ptr<SlotReader> output;
  std::filesystem::path log;
  // Size of the log before this task: ranks of an earlier attempt wrote to the same file.
  int64_t log_begin = 0;
  // Nothing more is expected of it: it said "done", ended or fell silent.
  std::atomic<bool> done = false;
  std::mutex sending;            // Guards the next three, and `link` until it has begun.
  bool begun = false;            // Set by the watching thread.
  bool input_ended = false;      // It was sent "end".
  std::vector<SentBatch> first;  // Without a gang: all that it was sent before.

  int32_t rank() const { return place.rank; }
  // It has taken or emitted a batch: what it has no other one can have.
  void Begun();

  // A message about this task, of this type.
  Json Head(const char* type) const;
  // Sends a message. That the worker is gone is no error here: whoever watches it finds out how it
  // ended. So it is with the next two.
  void Send(const Json& head, std::string_view raw = {}, std::span<const int> fds = {}) const;
  // Writes the batch into a slot and sends a message about it.
  Status SendBatch(const arrow::RecordBatch& batch);
  void EndInput();
  // Hands the task, and all that was sent before, to `next`. `peers` are this rank's sockets to the
  // others, by rank; duplicated into the worker by the message.
  Status Hand(std::unique_ptr<Worker> next, const std::vector<UniqueFd>& peers);
  // Kills and reaps its process, also one that is stopped: it must not wake up and go on.
  void Dismiss();
  // A failure of this member, with its place and its log's last lines of this attempt.
  RankFailure Failure(RankFailure::Kind kind, Status status, Clock::time_point at) const;
  // "its process is stopped", or what else the system says of a worker that is `silent` or late;
  // empty: nothing.
  std::string WhyStill(bool silent) const;
};

// Hands the task to the worker. `spec` outlives the member.
Result<std::unique_ptr<Member>> StartMember(const RunSpec& spec, MemberPlace place,
                                            std::unique_ptr<Worker> worker,
                                            const std::vector<UniqueFd>& peers);

// A socket between every two of `world` ranks: mesh[a][b] is a's end of the one to b, empty for a
// == b.
Result<std::vector<std::vector<UniqueFd>>> MakeMesh(int32_t world);

}  // namespace protium
