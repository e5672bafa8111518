// SPDX-License-Identifier: Apache-2.0
// How far apart the rows of a series usually are, and after how many of them they repeat.
#pragma once

#include <cstdint>

namespace protium {

struct UsualStep {
  const char* name;
  double seconds;
  int64_t season;   // Steps until it repeats.
  int64_t horizon;  // Steps that a job predicts ahead unless it is told.
};

// Returns the step whose times fill a span about as densely as `times` different ones fill
// `seconds`: at least four fifths of them, and hardly more than all. Null: none does.
const UsualStep* FindUsualStep(double seconds, int64_t times);

}  // namespace protium
