// SPDX-License-Identifier: Apache-2.0
// A curve that grows without bound in bounded memory, and is thinned out for a screen.
#pragma once

#include <cstddef>
#include <vector>

#include "base/json.h"

namespace protium {

class Curve {
 public:
  // Adds a point. If x does not increase, the run has gone back: points from x on are replaced.
  // Beyond 65,536 points every second one is dropped, and from then on only every second one is
  // stored.
  void Add(double x, double y);

  // Returns {"x": [...], "y": [...], "of": N}: at most `most` points, the minimum and the maximum
  // of each stretch, so that no peak is lost; always the first and the last. "of": how many were
  // added. Values that are not finite are null, which draws a gap.
  Json Thinned(size_t most) const;

  bool empty() const { return x_.empty(); }

 private:
  void Halve();

  std::vector<double> x_, y_;
  size_t stride_ = 1;   // One of this many points is stored.
  size_t waiting_ = 0;  // Points since the last stored one.
  size_t added_ = 0;
};

}  // namespace protium
