// SPDX-License-Identifier: Apache-2.0
// The seats of an elastic gang: those that it began with, and those that it was given since. They
// go by their number, which is never used again. Who sits where is the caller's to know: `taken`.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "workers/member.h"

namespace protium {

// One thread.
class GangSeats {
 public:
  // Of an elastic gang; outlives it.
  explicit GangSeats(const RunSpec& spec) : spec_(spec), seats_(spec.placement->seats) {}

  const Seat& at(int32_t number) const { return seats_[size_t(number)]; }
  // The first that nobody has.
  std::optional<int32_t> Free(const std::set<int32_t>& taken) const;
  // Asks for one more, now and then: nobody notifies us when another process gives back a device or
  // another gang a core.
  void TakeMore(Clock::time_point now);
  // This one is not to be used again: true if another one could be had for it, or the gang can do
  // without. To be given back once nobody uses it.
  bool Leave(int32_t number);
  // Leaves those beyond the least gang's that nobody has.
  std::vector<int32_t> LeaveSpare(const std::set<int32_t>& taken);
  void GiveBack(int32_t number) const { spec_.give_back_seat(at(number)); }

 private:
  int32_t kept() const { return int32_t(seats_.size() - left_.size()); }

  const RunSpec& spec_;
  std::vector<Seat> seats_;
  std::set<int32_t> left_;
  Clock::time_point asked_{};  // When the last one more was asked for.
};

}  // namespace protium
