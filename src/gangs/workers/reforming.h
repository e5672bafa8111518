// SPDX-License-Identifier: Apache-2.0
// How an attempt of a gang of programs ends when the gang is to have another number of ranks: a
// user wants it (gang/wish.h), there is room for more, or a gang of higher gang.priority needs
// room.
//
// 1. The programs end normally, as after Ctrl-C, and the next attempt starts with the new number.
//    That does not count as a restart.
// 2. Only seats that are to be given up are freed: a gang that may start again always holds its
//    least number.
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

// Lives as long as one attempt; checks a few times a second, on its own thread. Does nothing for
// gangs that do not re-form (gang/program.h).
class Reforming {
 public:
  // All must outlive it. `wish` may be empty.
  Reforming(Seats::Taken& taken, const MapTask& task, std::filesystem::path wish,
            const Yielding& yielding);

  // The attempt's call: stops with that of `yielding`, and to re-form.
  const Call& call() const { return own_; }
  // The attempt is over: takes and gives back seats for the next one. Returns whether it ended only
  // to get another number, and not because it was done, failed or was stopped. Call once.
  bool Ended(const AttemptResult& result);

 private:
  void Watch(const std::stop_token& over);
  // How many ranks there should be, if there is room.
  int32_t Target() const;
  // Takes seats up to `target`; returns whether it has more than before.
  bool Grow(int32_t target);
  std::string Why(int32_t target) const;

  Seats::Taken& taken_;
  const GangSpec& gang_;
  const std::filesystem::path wish_;
  const Yielding& yielding_;
  const bool reforms_;
  const int32_t size_;  // Number of ranks in the attempt.
  std::stop_source stop_;
  Call own_;
  std::stop_callback<std::function<void()>> with_given_;
  std::string why_;  // Set before `asked_`.
  std::atomic<bool> asked_ = false;
  std::jthread watching_;
};

}  // namespace protium
