// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace protium {

// Numbers of one step that are the same for all elements.
struct AdamStep {
  float divisor = 1;
  float factor = 1;
  float weight_decay = 0;
  float beta1 = 0;
  float beta2 = 0;
  float rest1 = 0;  // 1 - beta1 in double, rounded once.
  float rest2 = 0;
  float epsilon = 0;
  float rate = 0;            // learning_rate / (1 - beta1^step)
  float second_divisor = 1;  // sqrt(1 - beta2^step)
};

// One step of Adam in place; false when a gradient was not finite.
bool AdamUpdate(const AdamStep& step, const float* sum, int64_t count, float* weights, float* first,
                float* second);

struct SgdStep {
  float divisor = 1;
  float factor = 1;
  float weight_decay = 0;
  float momentum = 0;
  float rate = 0;
};

// One step of gradient descent with momentum in place; false when a gradient was not finite.
bool SgdUpdate(const SgdStep& step, const float* sum, int64_t count, float* weights,
               float* velocity);

// The sum of squares in double, in the order of the elements by lanes of 16.
double SumOfSquares(const float* values, int64_t count);

}  // namespace protium
