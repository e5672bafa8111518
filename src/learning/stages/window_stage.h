// SPDX-License-Identifier: Apache-2.0
// What `rolling` and `expanding` compute of the values in a window. NULL and NaN are left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protium/fields.h"
#include "stages/history_stage.h"

namespace protium {

enum class WindowNumber { kMean, kSum, kMin, kMax, kStd, kCount };
inline EnumNames<WindowNumber> Names(WindowNumber) {
  return {{{WindowNumber::kMean, "mean"},
           {WindowNumber::kSum, "sum"},
           {WindowNumber::kMin, "min"},
           {WindowNumber::kMax, "max"},
           {WindowNumber::kStd, "std"},
           {WindowNumber::kCount, "count"}}};
}

// Refuses an empty list, and one that names a number twice.
Status CheckNumbers(const std::vector<WindowNumber>& of, const std::string& path);

// Makes these numbers of each input over the rows of a frame; NULL for fewer than `least` values.
// Sums are exact to 2^-52 a value and do not depend on the order of adding; a value of 10^15 or
// more fails the query with a message that names its column. kStd is the deviation of a sample,
// added up in the order of time: it is NULL for one value, and costs as much as the window is long.
class WindowStage : public HistoryStage {
 public:
  WindowStage(const HistoryOptions& options, std::vector<WindowNumber> of, int64_t least,
              StageNames names);

 protected:
  // As Over() takes it.
  virtual std::string Frame() const = 0;
  std::string SqlOf(size_t i, WindowCalls& calls) const override;

 private:
  std::vector<WindowNumber> of_;
  int64_t least_;
};

}  // namespace protium
