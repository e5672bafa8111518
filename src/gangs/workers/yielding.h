// SPDX-License-Identifier: Apache-2.0
// How an attempt of a gang makes room for one of a higher gang.priority, of this or another
// process, that waits for its devices (os/leases.h).
//
// 1. An elastic gang first shrinks to its least size. If that is not enough, or takes longer than
//    gang.deadline, it is asked to stop like any other: after a step, with a checkpoint.
// 2. Nobody is told to end for good: the caller gives the seats back, waits for others, and runs
//    the next attempt, which goes on from the checkpoint.
#pragma once

#include <atomic>
#include <functional>
#include <stop_token>
#include <thread>

#include "base/call.h"
#include "gang/attempts.h"
#include "workers/seats.h"

namespace protium {

// For the time of one attempt; looks a few times a second, in a thread of its own.
class Yielding {
 public:
  // All are borrowed.
  Yielding(const Seats::Taken& taken, const GangSpec& gang, const Call& call);

  // For the attempt: stops with the given one, and to make room.
  const Call& call() const { return own_; }
  // How many workers the gang may have at the moment. Any thread.
  int32_t most() const { return most_; }
  // Whether the attempt ended to make room, and not because it was done, failed or was stopped.
  bool MadeRoom(const AttemptResult& result) const;

 private:
  void Watch(const std::stop_token& over);
  // Whether the attempt is to stop for this wish.
  bool Heed(const HeldDevice& wish);

  const Seats::Taken& taken_;
  const GangSpec& gang_;
  const Call& given_;
  std::stop_source stop_;
  Call own_;
  std::stop_callback<std::function<void()>> with_given_;
  std::atomic<int32_t> most_;
  std::atomic<bool> asked_ = false;
  Deadline shrinking_ = kNever;  // Until when it may take.
  Deadline at_least_ = kNever;   // How long it waits, at its least size, for the other to see that.
  std::jthread watching_;
};

}  // namespace protium
