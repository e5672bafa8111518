// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tensor/net.h"

namespace protium {

enum class LossKind { kHuber, kMeanSquared, kMeanAbsolute, kBinaryCrossEntropy };

struct LossSpec {
  LossKind kind = LossKind::kMeanSquared;
  double delta = 1;  // Of huber.
};

// Sums over the rows of a shard, in their order.
struct LossSums {
  double loss = 0;  // Weight times loss.
  double weight = 0;
};

// Compares outputs with the rows' labels; `gradient` becomes the derivative of the summed loss by
// each output. Huber is 0.5 d^2 up to delta and delta (|d| - 0.5 delta) beyond; binary
// cross-entropy takes outputs as logits. NaN goes through to the sums.
LossSums WeightedLoss(const LossSpec& loss, std::span<const float> outputs, const RowBlock& rows,
                      std::span<float> gradient);

}  // namespace protium
