// SPDX-License-Identifier: Apache-2.0
#include "nets/target.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/strict_math.h"

namespace protium {
namespace {

// Converts a label from its packed scale to its own.
double Unscaled(double value, const ElementScale& scale) {
  value = value * scale.deviation + scale.mean;
  return scale.log1p ? StrictExpm1(value) : value;
}

}  // namespace

int64_t Target::outputs() const {
  switch (kind) {
    case TargetKind::kValues:
    case TargetKind::kFlags:
    case TargetKind::kRelevance:
      return int64_t(labels.size());
    case TargetKind::kQuantiles:
      return int64_t(labels.size() * levels.size());
    case TargetKind::kTwoClasses:
      return 1;
    case TargetKind::kClasses:
      return classes;
  }
  return 0;
}

int64_t Target::label_count() const { return OfClasses(kind) ? 1 : int64_t(labels.size()); }

void Target::Scores(const float* outputs, std::span<double> scores) const {
  std::copy_n(outputs, scores.size(), scores.begin());
  if (kind == TargetKind::kQuantiles) {
    for (size_t i = 0; i < scores.size(); ++i) {
      scores[i] = Unscaled(scores[i], labels[i / levels.size()]);
    }
    for (auto at = scores.begin(); at != scores.end(); at += ptrdiff_t(levels.size())) {
      // NaN, which a program's own net may return, comes last.
      std::sort(at, at + ptrdiff_t(levels.size()),
                [](double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); });
    }
  } else if (OfNumbers(kind)) {
    for (size_t i = 0; i < scores.size(); ++i) {
      scores[i] = Unscaled(logarithmic ? std::exp(scores[i]) : scores[i], labels[i]);
    }
  } else {
    decision.Calibrate(scores);
  }
}

void Target::Labels(const PackedRows& rows, int64_t i, std::span<double> out) const {
  if (OfClasses(kind)) {
    out[0] = double(*rows.ints(kLabelField).at(i));
    return;
  }
  if (const RowField* const own = rows.schema().Find(kOwnLabelField)) {
    std::memcpy(out.data(), rows.row(i) + own->offset, out.size_bytes());
    return;
  }
  const float* packed = rows.floats(kLabelField).at(i);
  for (size_t l = 0; l < out.size(); ++l) out[l] = Unscaled(double(packed[l]), labels[l]);
}

std::vector<SeasonScale> Target::SeasonsIn(const RowSchema& rows) {
  std::vector<SeasonScale> seasons;
  const RowField* const field = rows.Find(kScaleField);
  if (field == nullptr) return seasons;
  for (const std::string& column : field->columns) seasons.push_back({SeasonOfColumn(column), 0});
  return seasons;
}

void Target::Scales(const PackedRows& rows, int64_t i, std::span<SeasonScale> scales) {
  if (scales.empty()) return;
  const std::byte* from = rows.row(i) + rows.schema().Find(kScaleField)->offset;
  for (SeasonScale& each : scales) {
    std::memcpy(&each.scale, from, sizeof each.scale);
    from += sizeof each.scale;
  }
}

}  // namespace protium
