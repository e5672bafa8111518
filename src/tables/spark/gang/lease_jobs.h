// SPDX-License-Identifier: Apache-2.0
// The Spark jobs of a lease, each with one task, and so one rank. Spark reruns the task when its
// process or executor dies (spark.task.maxFailures times), which brings a newcomer; and it ends all
// tasks of a job when one has failed too often, which is why each rank has a job of its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/call.h"
#include "gang/failure.h"

namespace protium {

// How a job ended.
struct LeaseJobEnd {
  int32_t seat = 0;
  Status status;
  bool server_lost = false;         // The server or session failed, not the job.
  std::optional<RankFailure> told;  // What a worker reported through Spark's message.
};

// Called from one thread; each job also has a thread of its own.
class LeaseJobs {
 public:
  // Runs a seat's job to its end, or until the stop.
  using Run = std::function<LeaseJobEnd(int32_t seat, const std::stop_token& stop)>;
  explicit LeaseJobs(Run run) : run_(std::move(run)) {}
  // Interrupts all running jobs, and waits until they have ended.
  ~LeaseJobs();

  // Submits a job and returns its seat: 0, 1, ...
  int32_t Start();
  void Interrupt(int32_t seat);
  // The jobs that have ended since the last call, without those that were interrupted.
  std::vector<LeaseJobEnd> TakeEnds();
  // Returns at `until`, or when a job ends.
  void Wait(Deadline until);
  // The jobs that have neither been taken as ended nor interrupted.
  const std::vector<int32_t>& running() const { return running_; }

 private:
  const Run run_;
  std::vector<int32_t> running_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<LeaseJobEnd> ends_;
  std::vector<std::jthread> jobs_;  // By seat.
};

}  // namespace protium
