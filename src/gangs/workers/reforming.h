// SPDX-License-Identifier: Apache-2.0
// How an attempt of a gang of programs ends when the gang is to have another number of ranks: a
// person wants it (gang/wish.h), there is room for more, or a gang of a higher gang.priority needs
// room.
//
// 1. The programs end in good order, as after Ctrl-C, and the next attempt starts with as many as
//    there should be. That is no restart.
// 2. Seats are held all the time but those that are to be given up: a gang that may start again is
//    never without its least number.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/call.h"
#include "gang/attempts.h"
#include "workers/seats.h"
#include "workers/yielding.h"

namespace protium {

// For the time of one attempt; looks a few times a second, in a thread of its own. Does nothing for
// gangs that do not re-form (gang/program.h).
class Reforming {
 public:
  // All are borrowed. `wish` may be empty.
  Reforming(Seats::Taken& taken, const MapTask& task, std::filesystem::path wish,
            const Yielding& yielding);

  // For the attempt: stops with that of `yielding`, and to re-form.
  const Call& call() const { return own_; }
  // The attempt is over: takes and gives back places for the next one. Whether it ended only to
  // have another number, and not because it was done, failed or was stopped. Once.
  bool Ended(const AttemptResult& result);

 private:
  void Watch(const std::stop_token& over);
  // How many there should be, if there is room.
  int32_t Target() const;
  // Whether it has more places than it had.
  bool Grow(int32_t target);
  std::string Why(int32_t target) const;

  Seats::Taken& taken_;
  const GangSpec& gang_;
  const std::filesystem::path wish_;
  const Yielding& yielding_;
  const bool reforms_;
  const int32_t size_;  // Of the attempt.
  std::stop_source stop_;
  Call own_;
  std::stop_callback<std::function<void()>> with_given_;
  std::string why_;  // Set before `asked_`.
  std::atomic<bool> asked_ = false;
  std::jthread watching_;
};

}  // namespace protium
