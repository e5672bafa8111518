// SPDX-License-Identifier: Apache-2.0
// How far apart the rows of series are, and so when the next ones come.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protium/status.h"

namespace protium {

// The times of one series, ascending: microseconds since 1970 in UTC, or whole numbers.
using SeriesTimes = std::vector<int64_t>;

// From one row of a series to the next one.
class TimeStep {
 public:
  // The step that most of the rows are apart. Of moments also months of the calendar, of the same
  // day or of the last one, and working days: all days but Saturdays and Sundays. Fails with
  // Exit::kUsage where there is none.
  static Result<TimeStep> Find(const std::vector<SeriesTimes>& series, bool moments);

  int64_t After(int64_t time) const;
  // "1 day", "2 months", "1 working day"; of whole numbers "1".
  std::string text() const;
  // How many steps it takes to reach so many microseconds ahead, 1 or more. Of moments only.
  int64_t StepsIn(int64_t micros) const;

 private:
  enum class Kind { kNumber, kMicros, kWorkingDays, kMonths, kMonthEnds };
  TimeStep(Kind kind, int64_t length) : kind_(kind), length_(length) {}

  Kind kind_;
  int64_t length_;  // In units of the kind.
};

}  // namespace protium
