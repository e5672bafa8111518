// SPDX-License-Identifier: Apache-2.0
// A Parzen estimator over several options at once: the density of a mixture that has one component
// for each point of a history, and a prior. As Optuna 5.0 defines its multivariate estimator:
//
// 1. A component is a product over the axes. On a range it is a normal distribution around the
//    point's coordinate, truncated to the range; on a whole number the mass of the unit around it;
//    on a choice of C, after n points, (1 + 1 / (n + 1)) / (1 + C / (n + 1)) for the point's own
//    and (1 / (n + 1)) / (1 + C / (n + 1)) for each other.
// 2. Its deviation is the wider of the gaps to the neighbours on this axis, of which the outermost
//    points have one (a single point has both ends of the range), but at least
//    range / min(100, n + 2). Equal coordinates are neighbours in the order of the history.
// 3. The prior lies in the middle, as wide as the range; all choices are alike.
// 4. The last 25 points and the prior weigh 1; the weights of earlier ones rise evenly from 1 / n.
//
// Everything is plain arithmetic in a fixed order, so the bits are the same on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "protium/search.h"

namespace protium {

// One coordinate an option: the number, its natural logarithm on a logarithmic axis, or the index
// of a choice.
using Point = std::vector<double>;

struct Axis {
  size_t at = 0;       // Which coordinate of a point.
  size_t choices = 0;  // 0: a range.
  bool log = false;
  bool whole = false;
  double low = 0;  // Of the coordinate; of whole numbers half a unit outside the range.
  double high = 0;
};
Axis AxisOf(const Dimension& dimension, size_t at);

// Numbers in [0, 1) with 53 bits, the same for the same key.
class Draws {
 public:
  explicit Draws(uint64_t key) : state_(key) {}
  double Next();

 private:
  uint64_t state_;
};

class Parzen {
 public:
  // `points`, the oldest first, have the coordinates of `axes`. `weights` replace those of 4., but
  // the prior's, unless they are empty. Nothing is kept.
  Parzen(std::span<const Axis> axes, std::span<const Point* const> points,
         std::span<const double> weights = {});

  // Sets the coordinates of the axes; those of whole numbers are whole numbers or their logarithms.
  void Draw(Draws& draws, Point& into) const;

  // The natural logarithm of the density at `point`, which is within the axes.
  double LogDensity(const Point& point) const;

 private:
  // What the components have on one axis; the prior is the last.
  struct Components {
    Axis axis;
    std::vector<double> middle;  // Of a choice its index.
    std::vector<double> inverse_deviation;
    double log_own = 0;  // Of a choice.
    double log_other = 0;
  };
  void Multiply(size_t component, double factor);
  void AddRange(const Axis& axis, std::span<const Point* const> points);
  void AddChoice(const Axis& axis, std::span<const Point* const> points);
  double DrawCoordinate(const Components& on, size_t component, Draws& draws) const;
  void AddLogs(const Components& on, double coordinate, std::vector<double>& logs) const;

  std::vector<double> weights_;  // Their sum is 1.
  std::vector<double> before_;   // The sum of the weights before each.
  std::vector<double> logs_;     // Of each component, all that does not depend on the point;
  std::vector<double> factors_;  // while axes are added, less these factors.
  std::vector<Components> axes_;
};

}  // namespace protium
