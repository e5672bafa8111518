// SPDX-License-Identifier: Apache-2.0
// What a task is doing, for whoever watches it: when ranks wait for one, the user is shown what
// that rank is doing. The task's thread writes, any thread reads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/call.h"
#include "base/json.h"
#include "collective/communicator.h"

namespace protium {

// A wait that no rank ends: the driver sends the rows.
inline constexpr char kForInput[] = "rows of its input";

// One look at a task, sent with its signs of life.
struct TaskSight {
  std::string phase;   // "forward"; empty: not reported.
  std::string call;    // The collective call that it waits in, or kForInput; empty: it is busy.
  int64_t calls = 0;   // Collective calls begun so far; no progress while this does not grow.
  double seconds = 0;  // Since it began or left a call or a phase.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("phase", phase);
    visit("call", call);
    visit("calls", calls);
    visit("seconds", seconds);
  }
};

// Names are literals, so that a reader never sees one that was freed.
class Doing {
 public:
  void SetPhase(const char* phase);
  TaskSight Look() const;

  // While it exists the task waits in a collective call.
  class Waiting {
   public:
    Waiting(Doing& doing, const char* call);
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

   private:
    Doing& doing_;
  };

 private:
  void Mark();

  std::atomic<const char*> phase_ = "loading libraries";
  std::atomic<const char*> call_ = "";
  std::atomic<int64_t> calls_ = 0;
  std::atomic<Clock::rep> since_ = Clock::now().time_since_epoch().count();
};

// Returns the same ranks with their calls marked in `doing`, which must outlive them.
std::unique_ptr<Communicator> MarkCalls(std::unique_ptr<Communicator> ranks, Doing& doing);

}  // namespace protium
