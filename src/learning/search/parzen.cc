// SPDX-License-Identifier: Apache-2.0
#include "search/parzen.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/clones.h"
#include "base/splitmix.h"
#include "base/strict_math.h"
#include "search/normal_mass.h"
#include "search/space.h"

namespace protium {
namespace {

constexpr size_t kFullWeights = 25;
constexpr double kMostParts = 100;
std::vector<double> WeightsOf(size_t points, std::span<const double> given) {
  std::vector<double> weights(points + 1, 1.0);
  const size_t ramp = points > kFullWeights ? points - kFullWeights : 0;
  const double first = points > 0 ? 1.0 / double(points) : 1;
  const double step = ramp > 1 ? (1 - first) / double(ramp - 1) : 0;
  for (size_t i = 0; i < ramp; ++i) weights[i] = first + double(i) * step;
  std::copy(given.begin(), given.end(), weights.begin());
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight /= sum;
  return weights;
}

// Finds the deviations of `middles` without sorting them: the range is cut into parts as wide as
// the least deviation, so only the outermost points of a part can have a wider gap on their side.
class Gaps {
 public:
  Gaps(const Axis& axis, std::span<const double> middles) : axis_(axis), middles_(middles) {
    const double parts = std::min(kMostParts, double(middles.size()) + 2);
    least_ = (axis.high - axis.low) / parts;
    parts_.resize(size_t(parts));
    for (size_t i = 0; i < middles.size(); ++i) Add(i);
  }

  std::vector<double> Deviations() const {
    std::vector<double> widths(middles_.size(), least_);
    if (middles_.size() == 1) {
      const double wider = std::max(middles_[0] - axis_.low, axis_.high - middles_[0]);
      widths[0] = std::max(least_, wider);
      return widths;
    }
    const Part* before = nullptr;
    for (const Part& part : parts_) {
      if (!part.used) continue;
      if (before != nullptr) {
        const double gap = middles_[part.lowest] - middles_[before->highest];
        widths[part.lowest] = std::max(widths[part.lowest], gap);
        widths[before->highest] = std::max(widths[before->highest], gap);
      }
      before = &part;
    }
    return widths;
  }

 private:
  struct Part {
    bool used = false;
    size_t lowest = 0;   // The first of equal points.
    size_t highest = 0;  // The last of equal ones.
  };

  void Add(size_t i) {
    const double share = (middles_[i] - axis_.low) / least_;
    Part& part = parts_[std::min(size_t(std::max(share, 0.0)), parts_.size() - 1)];
    if (!part.used) part = {true, i, i};
    if (middles_[i] < middles_[part.lowest]) part.lowest = i;
    if (middles_[i] >= middles_[part.highest]) part.highest = i;
  }

  const Axis& axis_;
  std::span<const double> middles_;
  double least_ = 0;
  std::vector<Part> parts_;
};

// A normal number by Kinderman and Monahan's ratio of uniforms.
double DrawNormal(Draws& draws) {
  constexpr double kWidth = 1.7155277699214135;  // sqrt(8 / e)
  while (true) {
    const double u = 1 - draws.Next();  // Above 0.
    const double x = kWidth * (draws.Next() - 0.5) / u;
    if (x * x <= -4 * StrictLog(u)) return x;
  }
}

// Sums run in this many lanes, whatever the processor's width.
constexpr size_t kLanes = 8;

PT_CLONES double Greatest(const double* logs, size_t count) {
  double lanes[kLanes];
  std::fill_n(lanes, kLanes, -std::numeric_limits<double>::infinity());
  const size_t whole = count - count % kLanes;
  for (size_t i = 0; i < whole; i += kLanes) {
    for (size_t k = 0; k < kLanes; ++k) lanes[k] = logs[i + k] > lanes[k] ? logs[i + k] : lanes[k];
  }
  for (size_t i = whole; i < count; ++i) lanes[0] = std::max(lanes[0], logs[i]);
  return *std::max_element(lanes, lanes + kLanes);
}

// The sum of weight * exp(log - greatest).
PT_CLONES double SumOfExps(const double* __restrict logs, const double* __restrict weights,
                           size_t count, double greatest) {
  double lanes[kLanes] = {};
  const size_t whole = count - count % kLanes;
  for (size_t i = 0; i < whole; i += kLanes) {
    for (size_t k = 0; k < kLanes; ++k) {
      lanes[k] += weights[i + k] * ExpOfNegative(logs[i + k] - greatest);
    }
  }
  for (size_t i = whole; i < count; ++i) {
    lanes[0] += weights[i] * ExpOfNegative(logs[i] - greatest);
  }
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

// Adds the logarithms of normal densities, less their constants, of each component.
PT_CLONES void AddNormals(double at, const double* __restrict middle,
                          const double* __restrict inverse, size_t count, double* __restrict into) {
  for (size_t i = 0; i < count; ++i) {
    const double z = (at - middle[i]) * inverse[i];
    into[i] -= 0.5 * (z * z);
  }
}

PT_CLONES void AddChoices(double at, const double* __restrict middle, double own, double other,
                          size_t count, double* __restrict into) {
  for (size_t i = 0; i < count; ++i) into[i] += middle[i] == at ? own : other;
}

double Number(const Axis& axis, double coordinate) {
  return axis.log ? StrictExpm1(coordinate) + 1 : coordinate;
}
double Coordinate(const Axis& axis, double number) { return axis.log ? StrictLog(number) : number; }

}  // namespace

Axis AxisOf(const Dimension& dimension, size_t at) {
  if (dimension.kind == Dimension::Kind::kChoice) {
    return {.at = at, .choices = GridPoints(dimension).size()};
  }
  Axis axis{.at = at, .log = IsLog(dimension.kind), .whole = IsWhole(dimension.kind)};
  const double around = axis.whole ? 0.5 : 0;
  axis.low = Coordinate(axis, dimension.low - around);
  axis.high = Coordinate(axis, dimension.high + around);
  return axis;
}

double Draws::Next() {
  state_ += kSplitMixStep;
  return double(SplitMix(state_) >> 11) * 0x1p-53;
}

Parzen::Parzen(std::span<const Axis> axes, std::span<const Point* const> points,
               std::span<const double> weights)
    : weights_(WeightsOf(points.size(), weights)),
      logs_(points.size() + 1),
      factors_(logs_.size(), 1.0) {
  double sum = 0;
  for (const double weight : weights_) {
    before_.push_back(sum);
    sum += weight;
  }
  for (const Axis& axis : axes) {
    if (axis.choices > 0) {
      AddChoice(axis, points);
    } else {
      AddRange(axis, points);
    }
  }
  for (size_t i = 0; i < logs_.size(); ++i) logs_[i] -= StrictLog(factors_[i]);
}

// One logarithm of a product instead of many; in time, before the product leaves the doubles.
void Parzen::Multiply(size_t component, double factor) {
  double& product = factors_[component];
  product *= factor;
  if (product > 1e-100 && product < 1e100) return;
  logs_[component] -= StrictLog(product);
  product = 1;
}

void Parzen::AddRange(const Axis& axis, std::span<const Point* const> points) {
  Components on{.axis = axis};
  on.middle.reserve(points.size() + 1);
  on.inverse_deviation.reserve(points.size() + 1);
  for (const Point* point : points) on.middle.push_back((*point)[axis.at]);
  std::vector<double> deviations = Gaps(axis, on.middle).Deviations();
  on.middle.push_back(0.5 * (axis.low + axis.high));
  deviations.push_back(axis.high - axis.low);
  for (size_t i = 0; i < on.middle.size(); ++i) {
    const double middle = on.middle[i], inverse = 1 / deviations[i];
    on.inverse_deviation.push_back(inverse);
    double factor = NormalMassAround((axis.low - middle) * inverse, (axis.high - middle) * inverse);
    if (!axis.whole) factor *= deviations[i] * kRootOf2Pi;
    Multiply(i, factor);
  }
  axes_.push_back(std::move(on));
}

void Parzen::AddChoice(const Axis& axis, std::span<const Point* const> points) {
  Components on{.axis = axis};
  on.middle.reserve(points.size() + 1);
  for (const Point* point : points) on.middle.push_back((*point)[axis.at]);
  on.middle.push_back(-1);  // The prior has no choice of its own.
  const double other = 1 / double(points.size() + 1);
  const double all = 1 + other * double(axis.choices);
  on.log_own = StrictLog((1 + other) / all);
  on.log_other = StrictLog(other / all);
  axes_.push_back(std::move(on));
}

void Parzen::Draw(Draws& draws, Point& into) const {
  const double share = draws.Next();
  const auto after = std::ranges::upper_bound(before_, share);
  const size_t component = size_t(after - before_.begin()) - 1;
  for (const Components& on : axes_) into[on.axis.at] = DrawCoordinate(on, component, draws);
}

double Parzen::DrawCoordinate(const Components& on, size_t component, Draws& draws) const {
  const Axis& axis = on.axis;
  const double middle = on.middle[component];
  if (axis.choices > 0) {
    const auto any = double(axis.choices);
    const double index = std::floor(draws.Next() * any);
    // (1 + 1 / (n + 1)) / (1 + C / (n + 1)) is the own choice with this share, and any otherwise.
    const bool own = draws.Next() * (1 + any / double(weights_.size())) < 1;
    return own && middle >= 0 ? middle : index;
  }
  double coordinate = 0;
  do {
    coordinate = middle + DrawNormal(draws) / on.inverse_deviation[component];
  } while (coordinate < axis.low || coordinate > axis.high);
  if (!axis.whole) return coordinate;
  const double low = std::round(Number(axis, axis.low) + 0.5);
  const double high = std::round(Number(axis, axis.high) - 0.5);
  return Coordinate(axis, std::clamp(std::round(Number(axis, coordinate)), low, high));
}

void Parzen::AddLogs(const Components& on, double coordinate, std::vector<double>& logs) const {
  const double* const middle = on.middle.data();
  const double* const inverse = on.inverse_deviation.data();
  double* const into = logs.data();
  const size_t count = logs.size();
  if (on.axis.choices > 0) {
    AddChoices(coordinate, middle, on.log_own, on.log_other, count - 1, into);
    into[count - 1] -= StrictLog(double(on.axis.choices));
  } else if (on.axis.whole) {
    const double number = std::round(Number(on.axis, coordinate));
    const double low = Coordinate(on.axis, number - 0.5), high = Coordinate(on.axis, number + 0.5);
    for (size_t i = 0; i < count; ++i) {
      into[i] += LogNormalMass((low - middle[i]) * inverse[i], (high - middle[i]) * inverse[i]);
    }
  } else {
    AddNormals(coordinate, middle, inverse, count, into);
  }
}

double Parzen::LogDensity(const Point& point) const {
  std::vector<double> logs = logs_;
  for (const Components& on : axes_) AddLogs(on, point[on.axis.at], logs);
  const double greatest = Greatest(logs.data(), logs.size());
  const double sum = SumOfExps(logs.data(), weights_.data(), logs.size(), greatest);
  return greatest + StrictLog(sum);
}

}  // namespace protium
