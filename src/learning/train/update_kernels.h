// SPDX-License-Identifier: Apache-2.0
// The loops over all weights that a step consists of, besides the net. Every element is computed by
// one chain of float operations, none fused, so no vector width changes bits; sums are made in a
// documented order. Memory may have any alignment; ranges that are written do not overlap others. g
// is the gradient of a weight w below.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace protium {

// How a summed gradient becomes that of a weight: g = clamp(sum / divisor * factor, -limit, limit)
// + weight_decay * w. The step then starts from w * shrink, which is AdamW's decay.
struct GradientScale {
  float divisor = 1;
  float factor = 1;
  float limit = std::numeric_limits<float>::infinity();
  float weight_decay = 0;
  float shrink = 1;
};

// Each function below makes one step of an optimiser in place, over `count` weights and the state
// that belongs to each of them. It returns false when a gradient was not finite; the elements are
// unusable then. The structs hold the numbers of a step that are the same for all weights, each
// computed in double and rounded once.

struct AdamStep {
  GradientScale scale;
  float beta1 = 0;
  float beta2 = 0;
  float rest1 = 0;  // 1 - beta1, computed in double: 1 - float(beta1) would differ.
  float rest2 = 0;  // 1 - beta2.
  float epsilon = 0;
  float rate = 0;            // learning_rate / (1 - beta1^step)
  float second_divisor = 1;  // sqrt(1 - beta2^step)
};

// Adam (Kingma and Ba, 2015):
//   first = beta1 * first + rest1 * g,  second = beta2 * second + rest2 * g^2,
//   w -= rate * first / (sqrt(second) / second_divisor + epsilon)
bool AdamUpdate(const AdamStep& step, const float* sum, int64_t count, float* weights, float* first,
                float* second);

struct SgdStep {
  GradientScale scale;
  float momentum = 0;
  float rate = 0;
  bool nesterov = false;
};

// Gradient descent, the second form with nesterov:
//   velocity = momentum * velocity + g
//   w -= rate * velocity,  or  w -= rate * (g + momentum * velocity)
// `velocity` is null without momentum.
bool SgdUpdate(const SgdStep& step, const float* sum, int64_t count, float* weights,
               float* velocity);

struct AdagradStep {
  GradientScale scale;
  float epsilon = 0;
  float rate = 0;
};

// Adagrad (Duchi and others, 2011):
//   squares += g^2,  w -= rate * g / (sqrt(squares) + epsilon)
bool AdagradUpdate(const AdagradStep& step, const float* sum, int64_t count, float* weights,
                   float* squares);

// The same for rows of `width` weights that have one of `squares` each: the mean of a row's g^2 is
// added to it, a SumOfSquares() in double, rounded once.
bool RowwiseAdagradUpdate(const AdagradStep& step, const float* sum, int64_t rows, int64_t width,
                          float* weights, float* squares);

struct RmspropStep {
  GradientScale scale;
  float smoothing = 0;
  float rest = 0;  // 1 - smoothing, computed in double.
  float momentum = 0;
  float epsilon = 0;
  float rate = 0;
};

// RMSprop (Tieleman and Hinton, 2012):
//   squares = smoothing * squares + rest * g^2,
//   velocity = momentum * velocity + g / (sqrt(squares) + epsilon),  w -= rate * velocity
// Unless `mean` is null this is the centered form, with mean += rest * (g - mean) and the variance
// squares - mean^2 under the root.
bool RmspropUpdate(const RmspropStep& step, const float* sum, int64_t count, float* weights,
                   float* squares, float* velocity, float* mean);

// average = keep * average + take * w, for each weight.
void AverageUpdate(float keep, float take, const float* weights, int64_t count, float* average);

// A sum of squares in double, made in 16 lanes, each in the order of its elements: element i of all
// that are added up belongs to lane i % 16. Elements of 0 may be left out without changing a bit.
struct SquareLanes {
  double lanes[16] = {};
  double Total() const;
};
// Adds elements first, first + 1, ... of all.
void AddSquares(const float* values, int64_t count, int64_t first, SquareLanes& to);

// That of all elements.
double SumOfSquares(const float* values, int64_t count);

}  // namespace protium
