// SPDX-License-Identifier: Apache-2.0
#include "train/update_kernels.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/clones.h"

namespace protium {

namespace {

// Moves every weight by the step that `rule` returns for its gradient and its own `state`. Inlined
// into each clone, so that all of them are vectorised. `bad` becomes 1 where g - g is not 0: it is
// 0 for finite g and NaN for all others. This is tested before the limit, which would make an
// infinite gradient finite; NaN passes both comparisons of the limit.
template <class Rule, class... State>
[[gnu::always_inline]] inline bool Update(const GradientScale& scale, const float* __restrict sum,
                                          int64_t count, float* __restrict weights, Rule rule,
                                          State* __restrict... state) {
  int32_t bad = 0;
  for (int64_t i = 0; i < count; ++i) {
    // Divides by the sum of weights instead of multiplying by its inverse, which would round twice.
    float g = sum[i] / scale.divisor * scale.factor;
    const float check = g - g;
    bad |= check != 0 ? 1 : 0;
    g = g > scale.limit ? scale.limit : g;
    g = g < -scale.limit ? -scale.limit : g;
    g += scale.weight_decay * weights[i];
    weights[i] = weights[i] * scale.shrink - rule(g, state[i]...);
  }
  return bad == 0;
}

}  // namespace

PT_CLONES bool AdamUpdate(const AdamStep& step, const float* sum, int64_t count, float* weights,
                          float* first, float* second) {
  // A copy, since the compiler cannot know that stores to the weights do not change a referenced
  // step.
  const AdamStep s = step;
  const auto rule = [s](float g, float& mean, float& square) __attribute__((always_inline)) {
    const float m = s.beta1 * mean + s.rest1 * g;
    const float v = s.beta2 * square + s.rest2 * g * g;
    mean = m;
    square = v;
    return s.rate * (m / (std::sqrt(v) / s.second_divisor + s.epsilon));
  };
  return Update(s.scale, sum, count, weights, rule, first, second);
}

PT_CLONES bool SgdUpdate(const SgdStep& step, const float* sum, int64_t count, float* weights,
                         float* velocity) {
  const SgdStep s = step;
  const auto plain = [s](float g, float& v) __attribute__((always_inline)) {
    v = s.momentum * v + g;
    return s.rate * v;
  };
  const auto ahead = [s](float g, float& v) __attribute__((always_inline)) {
    v = s.momentum * v + g;
    return s.rate * (g + s.momentum * v);
  };
  // 0 + g as with a velocity of 0, which a gradient of -0 also ends at.
  const auto at_once = [s](float g) __attribute__((always_inline)) { return s.rate * (0.0f + g); };
  if (velocity == nullptr) return Update(s.scale, sum, count, weights, at_once);
  return s.nesterov ? Update(s.scale, sum, count, weights, ahead, velocity)
                    : Update(s.scale, sum, count, weights, plain, velocity);
}

PT_CLONES bool AdagradUpdate(const AdagradStep& step, const float* sum, int64_t count,
                             float* weights, float* squares) {
  const AdagradStep s = step;
  const auto rule = [s](float g, float& square) __attribute__((always_inline)) {
    square += g * g;
    return s.rate * g / (std::sqrt(square) + s.epsilon);
  };
  return Update(s.scale, sum, count, weights, rule, squares);
}

bool RowwiseAdagradUpdate(const AdagradStep& step, const float* sum, int64_t rows, int64_t width,
                          float* weights, float* squares) {
  bool finite = true;
  std::vector<float> scaled(static_cast<size_t>(width));
  for (int64_t r = 0; r < rows; ++r, sum += width, weights += width) {
    std::ranges::fill(scaled, 0.0f);
    // A step of rate 1 from 0 is the gradient, with its sign changed.
    const auto gradient = [](float g) { return g; };
    finite = Update(step.scale, sum, width, scaled.data(), gradient) && finite;
    squares[r] += float(SumOfSquares(scaled.data(), width) / double(width));
    const float divisor = std::sqrt(squares[r]) + step.epsilon;
    for (int64_t j = 0; j < width; ++j) weights[j] += step.rate * scaled[size_t(j)] / divisor;
  }
  return finite;
}

// Rounding can make the variance negative, whose root would be NaN; torch.optim.RMSprop takes that
// root as it is.
PT_CLONES bool RmspropUpdate(const RmspropStep& step, const float* sum, int64_t count,
                             float* weights, float* squares, float* velocity, float* mean) {
  const RmspropStep s = step;
  const auto plain = [s](float g, float& square, float& v) __attribute__((always_inline)) {
    square = s.smoothing * square + s.rest * g * g;
    v = s.momentum * v + g / (std::sqrt(square) + s.epsilon);
    return s.rate * v;
  };
  const auto centered = [s](float g, float& square, float& v, float& m)
      __attribute__((always_inline)) {
    square = s.smoothing * square + s.rest * g * g;
    m += s.rest * (g - m);
    const float variance = square - m * m;
    v = s.momentum * v + g / (std::sqrt(variance > 0 ? variance : 0.0f) + s.epsilon);
    return s.rate * v;
  };
  if (mean == nullptr) return Update(s.scale, sum, count, weights, plain, squares, velocity);
  return Update(s.scale, sum, count, weights, centered, squares, velocity, mean);
}

PT_CLONES void AverageUpdate(float keep, float take, const float* weights, int64_t count,
                             float* average) {
  for (int64_t i = 0; i < count; ++i) average[i] = keep * average[i] + take * weights[i];
}

// Sixteen sums side by side, added in that order at the end: vectors of any width can do this
// without changing the order of a single addition.
PT_CLONES void AddSquares(const float* values, int64_t count, int64_t first, SquareLanes& to) {
  int64_t i = 0;
  for (; i < count && (first + i) % 16 != 0; ++i) {
    to.lanes[(first + i) % 16] += double(values[i]) * double(values[i]);
  }
  for (; i + 16 <= count; i += 16) {
    for (int64_t lane = 0; lane < 16; ++lane) {
      const double x = values[i + lane];
      to.lanes[lane] += x * x;
    }
  }
  for (; i < count; ++i) to.lanes[(first + i) % 16] += double(values[i]) * double(values[i]);
}

double SquareLanes::Total() const {
  double total = 0;
  for (const double lane : lanes) total += lane;
  return total;
}

double SumOfSquares(const float* values, int64_t count) {
  SquareLanes lanes;
  AddSquares(values, count, 0, lanes);
  return lanes.Total();
}

}  // namespace protium
