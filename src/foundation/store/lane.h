// SPDX-License-Identifier: Apache-2.0
// A thread for calls that may never return, such as those to a file system whose server is gone.
// Nobody waits for it longer than he says; what it still does after that concerns nobody.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "base/call.h"

namespace protium {

// One thread uses it.
class Lane {
 public:
  // Called by jobs whenever they get on; false: they are given up, and should end without touching
  // anything but what is theirs.
  using Pulse = std::function<bool()>;
  using Job = std::function<void(const Pulse&)>;

  // `patience`: how long a job may not get on.
  explicit Lane(Clock::duration patience);
  // Waits for the jobs of Post() as for those of Run(), for at most `patience` in all after the
  // latest pulse, and gives up the rest.
  ~Lane();
  Lane(const Lane&) = delete;

  // Runs a job and waits for its end, at most for `most` in all. False if it was given up: then all
  // that follow are, too. A job must own all that it uses.
  bool Run(Job job, Clock::duration most);
  // Runs a job after those before it; nobody waits.
  void Post(Job job);
  bool given_up() const;

 private:
  struct State;
  bool Await(int64_t job, Clock::time_point until);

  const Clock::duration patience_;
  std::shared_ptr<State> state_;  // The thread's, too: it may outlive this object.
};

}  // namespace protium
