// SPDX-License-Identifier: Apache-2.0
// The seats of an elastic gang: those that it began with, and those that it was given since. They
// are identified by their number, which is never used again. The caller knows who sits where:
// `taken`.
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
  // `spec` is of an elastic gang and must outlive it.
  explicit GangSeats(const RunSpec& spec) : spec_(spec), seats_(spec.placement->seats) {}

  const Seat& at(int32_t number) const { return seats_[size_t(number)]; }
  // Returns the first seat that nobody has.
  std::optional<int32_t> Free(const std::set<int32_t>& taken) const;
  // Requests one more, at intervals: nobody notifies us when another process frees a device or
  // another gang a core.
  void TakeMore(Clock::time_point now);
  // Marks a seat as not to be used again. True if another one could be had for it, or the gang can
  // do without; it is to be given back when nobody uses it any more.
  bool Leave(int32_t number);
  // Leaves the free seats beyond the gang's least number, and returns them.
  std::vector<int32_t> LeaveSpare(const std::set<int32_t>& taken);
  void GiveBack(int32_t number) const { spec_.give_back_seat(at(number)); }

 private:
  int32_t kept() const { return int32_t(seats_.size() - left_.size()); }

  const RunSpec& spec_;
  std::vector<Seat> seats_;
  std::set<int32_t> left_;
  Clock::time_point asked_{};  // When one more was last requested.
};

}  // namespace protium
