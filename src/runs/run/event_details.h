// SPDX-License-Identifier: Apache-2.0
// What --verbose adds to the progress display: one line for each step of a run that the display
// otherwise shows only while it lasts, or not at all.
#pragma once

#include <string>

#include "base/call.h"
#include "events/events.h"

namespace protium {

// Takes all events of a run in order; one thread.
class EventDetails {
 public:
  // Returns the line for the event, written like those of the display; empty if there is none.
  std::string On(const Event& event, Deadline now);

 private:
  double Lap(Deadline now);  // Seconds since the last line.

  Deadline before_{};
  bool trees_ = false;  // Epochs are rounds of trees.
};

// Whether PROTIUM_VERBOSE requests details; the command's flag --verbose sets it.
bool WantsDetails();

}  // namespace protium
