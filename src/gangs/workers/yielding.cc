// SPDX-License-Identifier: Apache-2.0
#include "workers/yielding.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "base/fault.h"
#include "base/text.h"
#include "protium/events.h"

namespace protium {
namespace {

constexpr std::chrono::milliseconds kLookEvery{200};
// Those that wait check more often than this whether there is room.
constexpr std::chrono::seconds kSeenWithin{2};

}  // namespace

Yielding::Yielding(const Seats::Taken& taken, const GangSpec& gang, const Call& call)
    : taken_(taken),
      gang_(gang),
      given_(call),
      own_(call),
      with_given_(call.stop, [this] { stop_.request_stop(); }),
      most_(gang.workers.max) {
  own_.stop = stop_.get_token();
  // Cores are shared with other processes only if there is a pool, or may be one later.
  if (gang.gpus_per_worker <= 0 && !taken.has_claim()) return;
  watching_ = std::jthread([this](const std::stop_token& over) { Watch(over); });
}

bool Yielding::MadeRoom(const AttemptResult& result) const {
  const bool stopped = !result.status.ok() && FaultOf(result.status).exit == Exit::kStopped;
  return asked_ && stopped && !given_.stop.stop_requested();
}

void Yielding::Watch(const std::stop_token& over) {
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  while (!ended.wait_for(lock, over, kLookEvery, [&] { return over.stop_requested(); })) {
    if (over.stop_requested() || given_.stop.stop_requested()) return;
    if (taken_.has_claim()) {
      if (HeedPool(taken_.Orders())) return;
      continue;
    }
    const auto wish = taken_.FindWish(gang_.priority);
    if (!wish) {
      most_ = gang_.workers.max;
      shrinking_ = at_least_ = kNever;
      continue;
    }
    if (!Heed(*wish)) continue;
    given_.Send(
        Note{fmt::format("the gang pauses after this step: {} (gang.priority = {}) "
                         "needs its devices; it continues by itself when there is "
                         "room again",
                         wish->who, wish->priority)});
    asked_ = true;
    stop_.request_stop();
    return;
  }
}

bool Yielding::Heed(const HeldDevice& wish) {
  const auto now = Clock::now();
  if (!gang_.workers.bends()) return true;
  if (taken_.size() <= gang_.workers.min) {
    if (most_ == gang_.workers.max) return true;  // It has not just shrunk.
    at_least_ = std::min(at_least_, now + kSeenWithin);
    return now >= at_least_;
  }
  return Shrink(gang_.workers.min,
                fmt::format("{} (gang.priority = {}) needs its devices", wish.who, wish.priority));
}

bool Yielding::Shrink(int32_t workers, const std::string& why) {
  const auto now = Clock::now();
  if (shrinking_ != kNever && most_ == workers) return now >= shrinking_;
  const auto limit = std::chrono::duration<double>(std::min(gang_.deadline, 1e6));
  shrinking_ = now + std::chrono::duration_cast<Clock::duration>(limit);
  most_ = workers;
  given_.Send(
      Note{fmt::format("the gang shrinks to {} worker{}: {}", workers, PluralOf(workers), why)});
  return false;
}

bool Yielding::HeedPool(const SeatOrders& orders) {
  if (!orders.arbitrated || orders.most >= taken_.size()) {
    most_ = gang_.workers.max;
    shrinking_ = kNever;
    return false;
  }
  const bool shrinks = gang_.workers.bends() && orders.most >= gang_.workers.min;
  if (shrinks && !Shrink(orders.most, orders.why)) return false;
  given_.Send(
      Note{fmt::format("the gang pauses after this step: {}; it continues by itself when "
                       "there is room again",
                       orders.why.empty() ? "the pool needs its cores" : orders.why)});
  asked_ = true;
  stop_.request_stop();
  return true;
}

}  // namespace protium
