// SPDX-License-Identifier: Apache-2.0
// What accompanies every call that may take long: who may stop it, its deadline, and who watches.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "base/event.h"
#include "base/json.h"

namespace protium {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;
// No deadline: only an event or `stop` ends a wait.
inline constexpr Deadline kNever = Deadline::max();

// Copied into every call on the way down; the token and the callbacks refer to their owners, which
// wait for the call to return.
struct Call {
  std::stop_token stop;
  Deadline deadline = kNever;
  // Called with progress and other events as EventToJson() writes them; on any thread, one at a
  // time; must return soon. May be empty.
  std::function<void(const Json&)> events;
  // Called when a gang has saved what it has done so far; on any thread. May be empty.
  std::function<void()> saved;

  template <IsEvent E>
  void Send(const E& event) const {
    if (events) events(EventToJson(event));
  }
  void Saved() const {
    if (saved) saved();
  }
  // Passes on an event that arrived as JSON.
  void Forward(const Json& event) const {
    if (events) events(event);
  }
};

}  // namespace protium
