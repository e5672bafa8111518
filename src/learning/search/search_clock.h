// SPDX-License-Identifier: Apache-2.0
// The time that a search may take until it starts no more trials, over all commands of its run.
#pragma once

#include <cstddef>
#include <filesystem>

#include "base/call.h"

namespace protium {

// One thread at a time.
class SearchClock {
 public:
  // `seconds` of 0 are no limit. Reads from the table of trials in `folder` how long earlier
  // commands took, and from its trials how many have begun; those are carried on in any case. An
  // empty folder has had no earlier commands.
  SearchClock(const std::filesystem::path& folder, double seconds);

  // From now on counts what earlier programs took.
  void Continue(double seconds) { before_ = seconds; }

  bool limited() const { return seconds_ > 0; }
  // Of all commands.
  double Elapsed() const;
  // Whether trial `index`, from 0, is not to be started. The first one always is.
  bool IsOver(size_t index) const;

 private:
  double seconds_;
  double before_ = 0;
  size_t begun_ = 1;  // As many trials have begun, or will in any case.
  Clock::time_point since_;
};

}  // namespace protium
