// SPDX-License-Identifier: Apache-2.0
// How much each member of an average counts: Caruana et al., "Ensemble Selection from Libraries of
// Models" (2004). The same bits for rows in any order (metrics/metrics.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/diagnostics.h"
#include "metrics/metrics.h"
#include "nets/target.h"

namespace protium {

// Rows with known labels and what each member predicts for them.
struct MemberOutputs {
  std::vector<double> labels;               // [rows, labels], as Judged::labels.
  std::vector<double> weights;              // By row.
  std::vector<std::vector<float>> outputs;  // By member: [rows, outputs].
};

inline constexpr int32_t kBlendSteps = 20;

// Returns a weight for each member, a multiple of 1 / kBlendSteps, with sum 1. In every step the
// member is chosen, possibly again, with which the mean of all chosen so far has the best `metric`
// (FindMetric()); of equals, the first. A metric without a value is the worst. The result is no
// worse than the best member alone, which is returned otherwise.
Result<std::vector<double>> ChooseWeights(const MemberOutputs& rows, const Target& target,
                                          const MetricSpec& metric);

// Measures the blend; `diagnostics` receives its state.
Result<Json> MeasureBlend(const MemberOutputs& rows, const std::vector<double>& weights,
                          const Target& target, const std::vector<std::string>& metrics,
                          const std::vector<MetricSpec>& own, Diagnostics& diagnostics);

}  // namespace protium
