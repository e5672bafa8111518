// SPDX-License-Identifier: Apache-2.0
#include "tensor/target.h"

#include <cmath>

namespace protium {

int64_t Target::outputs() const {
  switch (kind) {
    case TargetKind::kValues:
      return int64_t(labels.size());
    case TargetKind::kTwoClasses:
      return 1;
    case TargetKind::kClasses:
      return classes;
  }
  return 0;
}

int64_t Target::label_count() const {
  return kind == TargetKind::kValues ? int64_t(labels.size()) : 1;
}

void Target::Scores(const float* outputs, std::span<double> scores) const {
  for (size_t i = 0; i < scores.size(); ++i) {
    scores[i] = double(outputs[i]);
    if (kind != TargetKind::kValues) continue;
    if (logarithmic) scores[i] = std::exp(scores[i]);
    scores[i] = scores[i] * labels[i].deviation + labels[i].mean;
  }
}

void Target::Labels(const Batch& rows, int64_t i, std::span<double> out) const {
  if (kind != TargetKind::kValues) {
    out[0] = double(*rows.ints(kLabelField).at(i));
    return;
  }
  const float* packed = rows.floats(kLabelField).at(i);
  for (size_t l = 0; l < out.size(); ++l) {
    out[l] = double(packed[l]) * labels[l].deviation + labels[l].mean;
  }
}

}  // namespace protium
