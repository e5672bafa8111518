// SPDX-License-Identifier: Apache-2.0
// Loops over all weights. Every element is one chain of float operations, none fused, so no width
// of vector changes bits; sums are made in an order that is written down.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace protium {

// How a summed gradient becomes that of a weight w: sum / divisor * factor, cut to what lies
// between -limit and limit, + weight_decay * w. The step is taken from w * shrink.
struct GradientScale {
  float divisor = 1;
  float factor = 1;
  float limit = std::numeric_limits<float>::infinity();
  float weight_decay = 0;
  float shrink = 1;
};

// Each of the following makes one step of an optimiser in place, on `count` weights and what is
// kept beside each of them; false when a gradient was not finite. Structs hold the numbers of a
// step that are the same for all weights.

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

// Adam (Kingma and Ba, 2015).
bool AdamUpdate(const AdamStep& step, const float* sum, int64_t count, float* weights, float* first,
                float* second);

struct SgdStep {
  GradientScale scale;
  float momentum = 0;
  float rate = 0;
  bool nesterov = false;
};

// Gradient descent with momentum.
bool SgdUpdate(const SgdStep& step, const float* sum, int64_t count, float* weights,
               float* velocity);

struct AdagradStep {
  GradientScale scale;
  float epsilon = 0;
  float rate = 0;
};

// Adagrad (Duchi and others, 2011).
bool AdagradUpdate(const AdagradStep& step, const float* sum, int64_t count, float* weights,
                   float* squares);

struct RmspropStep {
  GradientScale scale;
  float smoothing = 0;
  float rest = 0;  // 1 - smoothing in double, rounded once.
  float momentum = 0;
  float epsilon = 0;
  float rate = 0;
};

// RMSprop (Tieleman and Hinton, 2012); with `mean`, centered.
bool RmspropUpdate(const RmspropStep& step, const float* sum, int64_t count, float* weights,
                   float* squares, float* velocity, float* mean);

// average = keep * average + take * weight.
void AverageUpdate(float keep, float take, const float* weights, int64_t count, float* average);

// to[i] += from[i].
void AddTo(std::span<float> to, std::span<const float> from);

// The sum of squares in double, in the order of the elements by lanes of 16.
double SumOfSquares(const float* values, int64_t count);

}  // namespace protium
