// SPDX-License-Identifier: Apache-2.0
// Metrics of quantiles. A label has one score per level, adjacent and ascending.
#include <algorithm>

#include "metrics/kinds.h"

namespace protium {
namespace {

// Calls `add(label, score, level)` for each label and level; returns their total weight.
template <class AddTerm>
double ForLevels(const Judged& row, AddTerm add) {
  const size_t levels = row.levels.size();
  for (size_t i = 0; i < row.scores.size(); ++i) {
    add(row.labels[i / levels], row.scores[i], row.levels[i % levels]);
  }
  return row.weight * double(row.scores.size());
}

// The distance of a label above the predicted quantile counts `level` times, below it 1 - level
// times (Koenker and Bassett, 1978); the mean over the levels.
double AddPinball(const Judged& row, TargetKind, ExactSum& sum) {
  return ForLevels(row, [&](double label, double score, double level) {
    const double above = label - score;
    sum.AddProduct(row.weight, std::max(level * above, (level - 1) * above));
  });
}

double AddCovered(const Judged& row, TargetKind, ExactSum& sum) {
  const size_t levels = row.levels.size();
  for (size_t l = 0; l < row.labels.size(); ++l) {
    const double low = row.scores[l * levels], high = row.scores[(l + 1) * levels - 1];
    if (low <= row.labels[l] && row.labels[l] <= high) sum.Add(row.weight);
  }
  return row.weight * double(row.labels.size());
}

}  // namespace

std::unique_ptr<Metric> MakePinball(TargetKind kind) { return MakeMean({AddPinball}, kind); }
std::unique_ptr<Metric> MakeCoverage(TargetKind kind) { return MakeMean({AddCovered}, kind); }

}  // namespace protium
