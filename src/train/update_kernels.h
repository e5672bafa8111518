// SPDX-License-Identifier: Apache-2.0
// The loops over all weights that a step consists of, besides the net. Every element is one chain
// of float operations, none fused, so no width of vector changes bits; sums are made in an order
// that is written down. Memory may have any alignment; ranges that are written do not overlap
// others.
#pragma once

#include <cstdint>
#include <span>

namespace protium {

// How a summed gradient becomes that of a weight w: sum / divisor * factor + weight_decay * w.
struct GradientScale {
  float divisor = 1;
  float factor = 1;
  float weight_decay = 0;
};

// The numbers of one step of Adam that are the same for all elements, each computed in double and
// rounded once.
struct AdamStep {
  GradientScale scale;
  float beta1 = 0;
  float beta2 = 0;
  float rest1 = 0;  // 1 - beta1 in double, rounded once.
  float rest2 = 0;
  float epsilon = 0;
  float rate = 0;            // learning_rate / (1 - beta1^step)
  float second_divisor = 1;  // sqrt(1 - beta2^step)
};

// One step of Adam (Kingma and Ba, 2015) in place, over `count` elements; false when a gradient was
// not finite, in which case the elements are spoiled.
bool AdamUpdate(const AdamStep& step, const float* sum, int64_t count, float* weights, float* first,
                float* second);

struct SgdStep {
  GradientScale scale;
  float momentum = 0;
  float rate = 0;
};

// One step of gradient descent with momentum in place; false when a gradient was not finite.
bool SgdUpdate(const SgdStep& step, const float* sum, int64_t count, float* weights,
               float* velocity);

// to[i] += from[i].
void AddTo(std::span<float> to, std::span<const float> from);

// The sum of squares in double, in the order of the elements by lanes of 16.
double SumOfSquares(const float* values, int64_t count);

}  // namespace protium
