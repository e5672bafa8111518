// SPDX-License-Identifier: Apache-2.0
#include "store/lane.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace protium {

struct Lane::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  int64_t posted = 0;
  int64_t done = 0;
  bool ends = false;
  bool given_up = false;
  Clock::time_point pulse = Clock::now();
  std::thread thread;  // Started by the first job.

  bool Beat() {
    const std::lock_guard lock(mutex);
    pulse = Clock::now();
    changed.notify_all();
    return !given_up;
  }
  void Serve() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return ends || given_up || !jobs.empty(); });
      if (given_up || jobs.empty()) return;
      const Job job = std::move(jobs.front());
      jobs.pop_front();
      pulse = Clock::now();
      lock.unlock();
      job([this] { return Beat(); });
      lock.lock();
      ++done;
      changed.notify_all();
    }
  }
};

Lane::Lane(Clock::duration patience) : patience_(patience), state_(std::make_shared<State>()) {}

void Lane::Post(Job job) {
  const std::lock_guard lock(state_->mutex);
  if (state_->given_up) return;
  state_->jobs.push_back(std::move(job));
  ++state_->posted;
  state_->changed.notify_all();
  if (!state_->thread.joinable()) {
    state_->thread = std::thread([state = state_] { state->Serve(); });
  }
}

bool Lane::Run(Job job, Clock::duration most) {
  Post(std::move(job));
  int64_t number = 0;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->given_up) return false;
    number = state_->posted;
  }
  return Await(number, Clock::now() + most);
}

bool Lane::Await(int64_t job, Clock::time_point until) {
  std::unique_lock lock(state_->mutex);
  state_->pulse = Clock::now();
  while (state_->done < job && !state_->given_up) {
    const auto patient = std::min(until, state_->pulse + patience_);
    if (Clock::now() >= patient) state_->given_up = true;
    if (!state_->given_up) state_->changed.wait_until(lock, patient);
  }
  state_->changed.notify_all();
  return state_->done >= job;
}

bool Lane::given_up() const {
  const std::lock_guard lock(state_->mutex);
  return state_->given_up;
}

// A thread in a call that never returns cannot be joined: the end of the process ends it. It holds
// its state, and nothing else of this process.
Lane::~Lane() {
  int64_t last = 0;
  {
    const std::lock_guard lock(state_->mutex);
    state_->ends = true;
    last = state_->posted;
    state_->changed.notify_all();
  }
  std::thread thread;
  const bool done = Await(last, Deadline::max());
  {
    const std::lock_guard lock(state_->mutex);
    thread = std::move(state_->thread);
  }
  if (!thread.joinable()) return;
  done ? thread.join() : thread.detach();
}

}  // namespace protium
