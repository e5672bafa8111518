// SPDX-License-Identifier: Apache-2.0
#include "http/response_pool.h"

#include <algorithm>
#include <utility>

namespace protium {

ResponsePool::ResponsePool(Limits limits) : limits_(limits) {
  for (size_t i = 0; i < limits_.threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
  }
}

bool ResponsePool::Add(size_t bytes, std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= limits_.waiting) return false;
    waiting_.push_back({bytes, std::move(work)});
  }
  came_.notify_one();
  return true;
}

// The first that fits beside those being computed.
std::deque<ResponsePool::Waiting>::iterator ResponsePool::Next() {
  return std::find_if(waiting_.begin(), waiting_.end(), [this](const Waiting& each) {
    return bytes_ == 0 || each.bytes <= limits_.bytes - std::min(bytes_, limits_.bytes);
  });
}

void ResponsePool::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (came_.wait(lock, stop, [this] { return Next() != waiting_.end(); })) {
    if (stop.stop_requested()) return;
    const auto next = Next();
    Waiting taken = std::move(*next);
    waiting_.erase(next);
    bytes_ += taken.bytes;
    lock.unlock();
    taken.work();
    taken.work = nullptr;  // It may own a body.
    lock.lock();
    bytes_ -= taken.bytes;
    came_.notify_all();
  }
}

}  // namespace protium
