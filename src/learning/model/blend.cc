// SPDX-License-Identifier: Apache-2.0
#include "model/blend.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "model/row_average.h"

namespace protium {
namespace {

void ForRows(const MemberOutputs& rows, const std::vector<double>& weights, const Target& target,
             const std::function<void(const Judged&)>& each) {
  const std::vector<float> blended = Blended(rows.outputs, weights);
  const auto width = size_t(target.outputs()), labels = size_t(target.label_count());
  std::vector<double> scores(width);
  for (size_t i = 0; i < rows.weights.size(); ++i) {
    target.Scores(blended.data() + i * width, scores);
    each(target.Judge(std::span(rows.labels).subspan(i * labels, labels), scores, rows.weights[i]));
  }
}

// Higher is better.
double Worth(const MemberOutputs& rows, const std::vector<double>& weights, const Target& target,
             const MetricSpec& spec) {
  const std::unique_ptr<Metric> metric = spec.make(target.kind);
  ForRows(rows, weights, target, [&](const Judged& row) { metric->Add(row); });
  const double value = metric->Value();
  if (std::isnan(value)) return -std::numeric_limits<double>::infinity();
  return spec.higher_is_better ? value : -value;
}

std::vector<double> SharesOf(const std::vector<int32_t>& counts, int32_t steps) {
  std::vector<double> shares;
  for (const int32_t each : counts) shares.push_back(double(each) / double(steps));
  return shares;
}

}  // namespace

Result<std::vector<double>> ChooseWeights(const MemberOutputs& rows, const Target& target,
                                          const MetricSpec& metric) {
  std::vector<int32_t> counts(rows.outputs.size());
  double alone = 0, together = 0;
  std::vector<double> best_alone;
  for (int32_t step = 1; step <= kBlendSteps; ++step) {
    double best = 0;
    size_t chosen = counts.size();
    for (size_t m = 0; m < counts.size(); ++m) {
      ++counts[m];
      const double worth = Worth(rows, SharesOf(counts, step), target, metric);
      --counts[m];
      if (chosen < counts.size() && !(worth > best)) continue;
      best = worth;
      chosen = m;
    }
    ++counts[chosen];
    together = best;
    if (step > 1) continue;
    alone = best;
    best_alone = SharesOf(counts, 1);
  }
  return together >= alone ? SharesOf(counts, kBlendSteps) : best_alone;
}

Result<Json> MeasureBlend(const MemberOutputs& rows, const std::vector<double>& weights,
                          const Target& target, const std::vector<std::string>& metrics,
                          const std::vector<MetricSpec>& own, Diagnostics& diagnostics) {
  PT_LET(MetricState state, MetricState::Make(metrics, target.kind, own));
  ForRows(rows, weights, target, [&](const Judged& row) {
    state.Add(row);
    diagnostics.Add(row);
  });
  return state.Values();
}

}  // namespace protium
