// SPDX-License-Identifier: Apache-2.0
#include "train/loss.h"

#include <algorithm>
#include <cmath>

namespace protium {
namespace {

struct Term {
  float loss = 0;
  float slope = 0;
};

template <class Each>
LossSums SumOf(std::span<const float> outputs, const RowBlock& rows, std::span<float> gradient,
               Each each) {
  LossSums sums;
  for (int64_t i = 0; i < rows.rows; ++i) {
    const float weight = rows.weight(i);
    const Term term = each(outputs[size_t(i)], rows.label(i));
    gradient[size_t(i)] = weight * term.slope;
    sums.loss += double(weight) * double(term.loss);
    sums.weight += double(weight);
  }
  return sums;
}

Term CrossEntropy(float logit, float label) {
  const float decay = std::exp(-std::fabs(logit));
  const float likely = logit < 0 ? decay / (1 + decay) : 1 / (1 + decay);
  return {(logit < 0 ? 0 : logit) - logit * label + std::log1p(decay), likely - label};
}

}  // namespace

LossSums WeightedLoss(const LossSpec& loss, std::span<const float> outputs, const RowBlock& rows,
                      std::span<float> gradient) {
  switch (loss.kind) {
    case LossKind::kHuber: {
      const float delta = float(loss.delta);
      return SumOf(outputs, rows, gradient, [delta](float output, float label) -> Term {
        const float d = output - label;
        const float size = std::fabs(d);
        return {size <= delta ? 0.5f * d * d : delta * (size - 0.5f * delta),
                std::clamp(d, -delta, delta)};
      });
    }
    case LossKind::kMeanSquared:
      return SumOf(outputs, rows, gradient, [](float output, float label) -> Term {
        const float d = output - label;
        return {d * d, 2 * d};
      });
    case LossKind::kMeanAbsolute:
      return SumOf(outputs, rows, gradient, [](float output, float label) -> Term {
        const float d = output - label;
        return {std::fabs(d), float(d > 0) - float(d < 0)};
      });
    case LossKind::kBinaryCrossEntropy:
      return SumOf(outputs, rows, gradient, CrossEntropy);
  }
  return {};
}

}  // namespace protium
