// SPDX-License-Identifier: Apache-2.0
// What members emit, on its way to the caller, and how their run ended.
//
// In order, what a member emits counts as the output of the batch of input that it took last, and
// leaves once all batches before that one are complete: their members have taken another batch, or
// are done. A member that is ahead waits in Emit() once kWindow of its batches are here
// (workers/slots.h); the one whose turn it is never waits for another.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "gang/attempts.h"
#include "workers/member.h"

namespace protium {

class RunOutput {
 public:
  // `in_order`: of the input's batches; otherwise as it comes.
  explicit RunOutput(bool in_order) : in_order_(in_order) {}

  // On the feeding thread: the member is sent the next batch of the input now.
  void Sent(const Member& member);

  // On the watching thread: the member has taken the next batch that it was sent.
  void Took(const Member& member);
  // A batch is in a slot of the member's, as the message describes.
  void Put(Member& member, Frame frame);
  // The member takes and emits nothing more.
  void Done(const Member& member);
  // The run is over; if it failed, drops the batches that are still here.
  void End(AttemptResult end);

  // On the caller's thread: returns the next batch, nullptr after the last one, or why the run
  // failed. Waits.
  Result<std::shared_ptr<arrow::RecordBatch>> Next();
  // Valid after Next() returned an error or nullptr.
  AttemptResult end() const;

 private:
  struct Emitted {
    Member* member;
    Frame frame;
  };
  // The numbers of a member's batches of input, from 0 over all members.
  struct Turns {
    std::deque<int64_t> sent;  // Not taken.
    std::optional<int64_t> now;
    bool done = false;
  };
  bool HasNext() const { return end_ ? !emitted_.empty() : emitted_.contains(turn_); }
  void Complete(std::optional<int64_t> number);
  void Advance();

  const bool in_order_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int64_t, std::deque<Emitted>> emitted_;  // By the number of the input; none is empty.
  int64_t turn_ = 0;                                // The number whose output leaves now.
  std::map<const Member*, Turns> turns_;
  std::set<int64_t> complete_;  // Numbers from `turn_` on.
  int64_t numbers_ = 0;         // How many were sent.
  std::optional<AttemptResult> end_;
};

}  // namespace protium
