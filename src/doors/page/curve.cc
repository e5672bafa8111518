// SPDX-License-Identifier: Apache-2.0
#include "page/curve.h"

#include <algorithm>
#include <cmath>

namespace protium {

namespace {

constexpr size_t kMostKept = 65536;

Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

}  // namespace

void Curve::Add(double x, double y) {
  if (!x_.empty() && x <= x_.back()) {
    const auto from = std::lower_bound(x_.begin(), x_.end(), x) - x_.begin();
    x_.resize(size_t(from));
    y_.resize(size_t(from));
    waiting_ = stride_;
  }
  ++added_;
  if (++waiting_ < stride_) return;
  waiting_ = 0;
  x_.push_back(x);
  y_.push_back(y);
  if (x_.size() > kMostKept) Halve();
}

void Curve::Halve() {
  size_t kept = 0;
  for (size_t i = 0; i < x_.size(); i += 2) {
    x_[kept] = x_[i];
    y_[kept++] = y_[i];
  }
  x_.resize(kept);
  y_.resize(kept);
  stride_ *= 2;
}

Json Curve::Thinned(size_t most) const {
  Json x = Json::array(), y = Json::array();
  const auto add = [&](size_t i) {
    x.push_back(Number(x_[i]));
    y.push_back(Number(y_[i]));
  };
  const size_t count = x_.size();
  // Each stretch contributes two points.
  const size_t stretches = count <= most ? count : std::max<size_t>(1, (most - 2) / 2);
  if (count <= most) {
    for (size_t i = 0; i < count; ++i) add(i);
  } else {
    add(0);
    for (size_t s = 0; s < stretches; ++s) {
      const size_t from = 1 + s * (count - 2) / stretches;
      const size_t to = 1 + (s + 1) * (count - 2) / stretches;
      const auto [low, high] =
          std::minmax_element(y_.begin() + std::ptrdiff_t(from), y_.begin() + std::ptrdiff_t(to));
      const auto first = size_t(std::min(low, high) - y_.begin());
      const auto second = size_t(std::max(low, high) - y_.begin());
      add(first);
      if (second != first) add(second);
    }
    add(count - 1);
  }
  return {{"x", std::move(x)}, {"y", std::move(y)}, {"of", added_}};
}

}  // namespace protium
