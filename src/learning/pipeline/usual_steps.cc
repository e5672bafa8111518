// SPDX-License-Identifier: Apache-2.0
#include "pipeline/usual_steps.h"

namespace protium {
namespace {

// Ascending. Months and years are those of the calendar on average.
constexpr UsualStep kSteps[] = {
    {"minute", 60, 60, 60},      {"quarter of an hour", 900, 96, 96},
    {"half hour", 1800, 48, 48}, {"hour", 3600, 24, 24},
    {"day", 86400, 7, 7},        {"working day", 120960, 5, 5},
    {"week", 604800, 52, 1},     {"month", 2629746, 12, 1},
    {"quarter", 7889238, 4, 1},  {"year", 31556952, 1, 1},
};
constexpr double kDense = 0.8, kTooDense = 1.05;  // Times there are, of those that there could be.

}  // namespace

const UsualStep* FindUsualStep(double seconds, int64_t times) {
  for (const UsualStep& each : kSteps) {
    const double share = double(times) / (seconds / each.seconds + 1);
    if (share >= kDense && share <= kTooDense) return &each;
  }
  return nullptr;
}

}  // namespace protium
