// SPDX-License-Identifier: Apache-2.0
// How an attempt of a gang makes room: for a gang of higher gang.priority, in this or another
// process, that waits for its devices (os/leases.h), or because the pool asks for it
// (pool/arbiter.h).
//
// 1. An elastic gang first shrinks to its least size. If that is not enough, or takes longer than
//    gang.deadline, it is asked to stop like any other: after a step, with a checkpoint.
// 2. No gang ends for good: the caller gives the seats back, waits for others, and runs the next
//    attempt, which goes on from the checkpoint.
#pragma once

#include <atomic>
#include <functional>
#include <stop_token>
#include <thread>

#include "base/call.h"
#include "gang/attempts.h"
#include "workers/seats.h"

namespace protium {

// Lives as long as one attempt; checks a few times a second, on its own thread.
class Yielding {
 public:
  // All must outlive it.
  Yielding(const Seats::Taken& taken, const GangSpec& gang, const Call& call);

  // The attempt's call: stops with the given one, and to make room.
  const Call& call() const { return own_; }
  // How many workers the gang may have at the moment. Any thread.
  int32_t most() const { return most_; }
  // Whether the attempt ended to make room, and not because it was done, failed or was stopped.
  bool MadeRoom(const AttemptResult& result) const;

 private:
  void Watch(const std::stop_token& over);
  // Returns whether the attempt is to stop for this wish.
  bool Heed(const HeldDevice& wish);
  // The same for what the pool asks of it.
  bool HeedPool(const SeatOrders& orders);
  // The gang shrinks to `workers`; returns whether that takes too long.
  bool Shrink(int32_t workers, const std::string& why);

  const Seats::Taken& taken_;
  const GangSpec& gang_;
  const Call& given_;
  std::stop_source stop_;
  Call own_;
  std::stop_callback<std::function<void()>> with_given_;
  std::atomic<int32_t> most_;
  std::atomic<bool> asked_ = false;
  Deadline shrinking_ = kNever;  // How long shrinking may take.
  Deadline at_least_ = kNever;   // How long it waits, at its least size, for the other to see that.
  std::jthread watching_;
};

}  // namespace protium
