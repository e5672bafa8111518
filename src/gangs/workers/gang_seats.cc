// SPDX-License-Identifier: Apache-2.0
#include "workers/gang_seats.h"

#include <algorithm>

namespace protium {
namespace {

// How often a gang that wants more seats requests one.
constexpr std::chrono::milliseconds kSeatTick{500};

}  // namespace

std::optional<int32_t> GangSeats::Free(const std::set<int32_t>& taken) const {
  for (int32_t seat = 0; seat < int32_t(seats_.size()); ++seat) {
    if (!taken.contains(seat) && !left_.contains(seat)) return seat;
  }
  return std::nullopt;
}

void GangSeats::TakeMore(Clock::time_point now) {
  if (!spec_.take_seat || now < asked_ + kSeatTick) return;
  asked_ = now;
  const auto seat = spec_.take_seat();
  // What is wrong with a machine's devices is reported when a gang starts.
  if (seat.ok() && *seat) seats_.push_back(**seat);
}

bool GangSeats::Leave(int32_t number) {
  const auto other = spec_.take_seat();
  const bool replaced = other.ok() && *other;
  if (replaced) seats_.push_back(**other);
  if (!replaced && kept() <= spec_.bends->min) return false;
  left_.insert(number);
  return true;
}

std::vector<int32_t> GangSeats::LeaveSpare(const std::set<int32_t>& taken) {
  std::vector<int32_t> spare;
  if (!spec_.give_back_seat) return spare;
  for (auto most = kept() - spec_.bends->min; most > 0; --most) {
    const auto free = Free(taken);
    if (!free) break;
    left_.insert(*free);
    spare.push_back(*free);
  }
  return spare;
}

}  // namespace protium
