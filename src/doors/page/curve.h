// SPDX-License-Identifier: Apache-2.0
// A curve that grows without end in memory that does not, and thinned out for a screen.
#pragma once

#include <cstddef>
#include <vector>

#include "base/json.h"

namespace protium {

class Curve {
 public:
  // Adds a point. Where x does not rise, a run has gone back: the points from x on are replaced.
  // Beyond 65,536 points every second one is given up, and from then on every second one kept.
  void Add(double x, double y);

  // {"x": [...], "y": [...], "of": N}: at most `most` points, of each stretch the least and the
  // greatest, so that no peak is lost; the first and the last always. "of": how many were added.
  // Values that are not finite are null, which draws a gap.
  Json Thinned(size_t most) const;

  bool empty() const { return x_.empty(); }

 private:
  void Halve();

  std::vector<double> x_, y_;
  size_t stride_ = 1;   // Every how many points one is kept.
  size_t waiting_ = 0;  // Points since the last one kept.
  size_t added_ = 0;
};

}  // namespace protium
