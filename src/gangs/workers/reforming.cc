// SPDX-License-Identifier: Apache-2.0
#include "workers/reforming.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "gang/program.h"
#include "gang/wish.h"
#include "protium/events.h"

namespace protium {
namespace {

constexpr std::chrono::milliseconds kLookForSize{200};

}  // namespace

Reforming::Reforming(Seats::Taken& taken, const MapTask& task, std::filesystem::path wish,
                     const Yielding& yielding)
    : taken_(taken),
      gang_(*task.gang),
      wish_(std::move(wish)),
      yielding_(yielding),
      reforms_(Reforms(task)),
      size_(taken.size()),
      own_(yielding.call()),
      with_given_(yielding.call().stop, [this] { stop_.request_stop(); }) {
  own_.stop = stop_.get_token();
  if (reforms_) watching_ = std::jthread([this](const std::stop_token& over) { Watch(over); });
}

int32_t Reforming::Target() const {
  const int32_t wanted = wish_.empty() ? 0 : ReadWish(wish_);
  const int32_t most = std::min(wanted > 0 ? wanted : gang_.workers.max, yielding_.most());
  return std::clamp(most, gang_.workers.min, gang_.workers.max);
}

std::string Reforming::Why(int32_t target) const {
  if (target < size_ && target == yielding_.most()) return "a gang of a higher priority needs room";
  const int32_t wanted = wish_.empty() ? 0 : ReadWish(wish_);
  return wanted == target ? fmt::format("{} wanted", Counted(wanted, "worker")) : "there is room";
}

bool Reforming::Grow(int32_t target) {
  const int32_t before = taken_.size();
  while (taken_.size() < target) {
    const auto more = taken_.TakeMore(gang_);
    if (!more.ok() || !*more) break;
  }
  return taken_.size() > before;
}

void Reforming::Watch(const std::stop_token& over) {
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  while (!ended.wait_for(lock, over, kLookForSize, [&] { return over.stop_requested(); })) {
    if (over.stop_requested() || own_.stop.stop_requested()) return;
    const int32_t target = Target();
    if (target >= size_ && !Grow(target)) continue;
    why_ = Why(target);
    asked_ = true;
    stop_.request_stop();
    return;
  }
}

bool Reforming::Ended(const AttemptResult& result) {
  if (!reforms_) return false;
  watching_ = {};
  if (result.status.ok() || yielding_.call().stop.stop_requested()) return false;
  const int32_t target = Target();
  while (taken_.size() > target) taken_.GiveBack(taken_.placement().seats.back());
  Grow(target);
  const bool stopped = FaultOf(result.status).exit == Exit::kStopped;
  if (asked_ && stopped) {
    own_.Send(Note{
        fmt::format("the gang starts again with {}: {}", Counted(taken_.size(), "worker"), why_)});
  }
  return asked_ && stopped;
}

}  // namespace protium
