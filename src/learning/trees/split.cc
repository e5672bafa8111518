// SPDX-License-Identifier: Apache-2.0
#include "trees/split.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

namespace protium {

// The node whose split is looked for, with sums as numbers.
struct SplitSearch::Node {
  std::span<const Cell> histogram;
  const Grid& grid;
  const ValueBounds& bounds;
  Cell total;
  double score = 0;
};

namespace {

// Bins of a number.
constexpr size_t kMostCuts = 256;

double Soften(double gradient, double l1) {
  if (l1 == 0) return gradient;
  return std::copysign(std::max(std::fabs(gradient) - l1, 0.0), gradient);
}

Cell Minus(const Cell& a, const Cell& b) {
  return {a.gradient - b.gradient, a.hessian - b.hessian};
}

bool Empty(const Cell& cell) { return cell.gradient == 0 && cell.hessian == 0; }

// In the middle between the values of two children, which neither side's leaves may cross.
std::pair<ValueBounds, ValueBounds> Divide(const ValueBounds& bounds, int direction, double left,
                                           double right) {
  if (direction == 0) return {bounds, bounds};
  const double middle = left + (right - left) / 2;
  ValueBounds low{bounds.least, middle}, high{middle, bounds.most};
  return direction > 0 ? std::pair{low, high} : std::pair{high, low};
}

}  // namespace

SplitSearch::SplitSearch(const TreeOptions& options, std::span<const ColumnBins> bins,
                         const HistogramLayout& layout, std::vector<int8_t> directions)
    : options_(options), bins_(bins), layout_(layout), directions_(std::move(directions)) {
  const bool free = std::ranges::all_of(directions_, [](int8_t each) { return each == 0; });
  directions_.resize(bins.size());
  plain_ = free && options.l1 == 0;
}

double SplitSearch::ValueOf(double gradient, double hessian, const ValueBounds& bounds) const {
  const double curve = hessian + options_.l2;
  const double value = curve > 0 ? -Soften(gradient, options_.l1) / curve : 0;
  return std::clamp(value, bounds.least, bounds.most);
}

double SplitSearch::ValueOf(const Cell& sums, const Grid& grid, const ValueBounds& bounds) const {
  return ValueOf(grid.GradientOf(sums.gradient), grid.HessianOf(sums.hessian), bounds);
}

double SplitSearch::Score(double gradient, double hessian, const ValueBounds& bounds) const {
  const double curve = hessian + options_.l2;
  if (plain_) return gradient * gradient / curve;
  const double value = ValueOf(gradient, hessian, bounds);
  return -(2 * gradient * value + curve * value * value + 2 * options_.l1 * std::fabs(value));
}

bool SplitSearch::MayHaveSplit(const Cell& sums, const Grid& grid) const {
  return sums.hessian > 0 && grid.HessianOf(sums.hessian) >= 2 * options_.min_weight;
}

bool SplitSearch::Try(const Node& node, int32_t column, const Cell& left, double smoothing,
                      NodeSplit& best) const {
  const Cell right = Minus(node.total, left);
  if (left.hessian <= 0 || right.hessian <= 0) return false;
  const double left_hessian = node.grid.HessianOf(left.hessian);
  const double right_hessian = node.grid.HessianOf(right.hessian);
  if (left_hessian < options_.min_weight || right_hessian < options_.min_weight) return false;
  const double left_gradient = node.grid.GradientOf(left.gradient);
  const double right_gradient = node.grid.GradientOf(right.gradient);
  const double gain = Score(left_gradient, left_hessian + smoothing, node.bounds) +
                      Score(right_gradient, right_hessian + smoothing, node.bounds) - node.score;
  if (!(gain > best.gain)) return false;
  const int direction = directions_[size_t(column)];
  if (direction != 0) {
    const double left_value = ValueOf(left_gradient, left_hessian, node.bounds);
    const double right_value = ValueOf(right_gradient, right_hessian, node.bounds);
    if (direction > 0 ? left_value > right_value : left_value < right_value) return false;
    std::tie(best.left_bounds, best.right_bounds) =
        Divide(node.bounds, direction, left_value, right_value);
  } else {
    best.left_bounds = best.right_bounds = node.bounds;
  }
  best.gain = gain;
  best.left = left;
  best.right = right;
  return true;
}

// The sums left of each cut of a number, and what the cuts gain.
struct SplitSearch::Cuts {
  std::array<Cell, kMostCuts> left;
  std::array<double, kMostCuts> gradient, hessian, gain;
};

// Without directions and l1, the gains of all cuts are computed in one loop, which compilers turn
// into vector instructions. They are those of Try(), to the bit.
void SplitSearch::GainsOf(const Node& node, int32_t count, Cuts& cuts) const {
  const double gradient = node.grid.GradientOf(node.total.gradient);
  const double hessian = node.grid.HessianOf(node.total.hessian);
  const double least = std::max(options_.min_weight, std::numeric_limits<double>::min());
  for (int32_t b = 0; b < count; ++b) {
    cuts.gradient[size_t(b)] = node.grid.GradientOf(cuts.left[size_t(b)].gradient);
    cuts.hessian[size_t(b)] = node.grid.HessianOf(cuts.left[size_t(b)].hessian);
  }
  for (int32_t b = 0; b < count; ++b) {
    const double left = cuts.gradient[size_t(b)], right = gradient - left;
    const double left_hessian = cuts.hessian[size_t(b)], right_hessian = hessian - left_hessian;
    const double gain = left * left / (left_hessian + options_.l2) +
                        right * right / (right_hessian + options_.l2) - node.score;
    const bool fits = left_hessian >= least && right_hessian >= least;
    cuts.gain[size_t(b)] = fits ? gain : -1;
  }
}

void SplitSearch::SearchFast(const Node& node, int32_t column, NodeSplit& best) const {
  const std::span<const Cell> cells = layout_.Of(node.histogram, column);
  const auto bins = int32_t(cells.size()) - 1;
  const Cell& missing = cells[size_t(bins)];
  const bool none = Empty(missing);
  Cuts right, left;  // By where missing values go.
  Cell sum;
  for (int32_t b = 0; b < bins; ++b) {
    sum += cells[size_t(b)];
    right.left[size_t(b)] = sum;
    left.left[size_t(b)] = sum;
    left.left[size_t(b)] += missing;
  }
  GainsOf(node, none ? bins - 1 : bins, right);
  if (!none) GainsOf(node, bins - 1, left);
  const auto take = [&](const Cuts& cuts, int32_t b, bool missing_left) {
    best.gain = cuts.gain[size_t(b)];
    best.left = cuts.left[size_t(b)];
    best.rule = {column, b, missing_left, {}};
  };
  for (int32_t b = 0; b < bins; ++b) {
    const bool last = b + 1 == bins;
    if (!(last && none) && right.gain[size_t(b)] > best.gain) {
      take(right, b, none && 2 * right.left[size_t(b)].hessian >= node.total.hessian);
    }
    if (!last && !none && left.gain[size_t(b)] > best.gain) take(left, b, true);
  }
  if (best.rule.column != column) return;
  best.right = Minus(node.total, best.left);
  best.left_bounds = best.right_bounds = node.bounds;
}

void SplitSearch::SearchNumber(const Node& node, int32_t column, NodeSplit& best) const {
  if (plain_) {
    SearchFast(node, column, best);
    return;
  }
  const std::span<const Cell> cells = layout_.Of(node.histogram, column);
  const auto bins = int32_t(cells.size()) - 1;
  const Cell& missing = cells[size_t(bins)];
  const bool none = Empty(missing);
  Cell left;
  for (int32_t b = 0; b < bins; ++b) {
    if (Empty(cells[size_t(b)])) continue;  // The same split as the one before.
    left += cells[size_t(b)];
    // The last one parts missing values from all others.
    if (b + 1 < bins || !none) {
      if (Try(node, column, left, 0, best)) {
        best.rule = {column, b, none && 2 * left.hessian >= node.total.hessian, {}};
      }
    }
    if (none || b + 1 == bins) continue;
    Cell with = left;
    with += missing;
    if (Try(node, column, with, 0, best)) best.rule = {column, b, true, {}};
  }
}

// The categories [begin, end) of a list that go left.
struct SplitSearch::FoundSet {
  size_t begin = 0, end = 0;
  bool missing_left = false;
};

bool SplitSearch::TrySet(const Node& node, int32_t column, const Cell& sums, double smoothing,
                         bool& missing_left, NodeSplit& best) const {
  const Cell& missing = layout_.Of(node.histogram, column).back();
  bool better = Try(node, column, sums, smoothing, best);
  if (better) missing_left = Empty(missing) && 2 * sums.hessian >= node.total.hessian;
  if (Empty(missing)) return better;
  Cell with = sums;
  with += missing;
  if (!Try(node, column, with, smoothing, best)) return better;
  missing_left = true;
  return true;
}

void SplitSearch::SearchCategories(const Node& node, int32_t column, NodeSplit& best) const {
  const std::span<const Cell> cells = layout_.Of(node.histogram, column);
  std::vector<int32_t> bins;
  for (size_t b = 0; b + 1 < cells.size(); ++b) {
    if (cells[b].hessian > 0) bins.push_back(int32_t(b));
  }
  const bool one_hot = int64_t(bins.size()) <= options_.one_hot;
  if (!one_hot) SortByRatio(node, cells, bins);
  std::optional<FoundSet> found;
  Cell left;
  for (size_t i = 0; i < bins.size(); ++i) {
    if (one_hot) left = {};
    left += cells[size_t(bins[i])];
    bool missing_left = false;
    if (!TrySet(node, column, left, one_hot ? 0 : options_.smoothing, missing_left, best)) continue;
    found = {one_hot ? i : 0, i + 1, missing_left};
  }
  if (!found) return;
  best.rule = {column, 0, found->missing_left, std::vector<uint8_t>(cells.size())};
  for (size_t b = 0; b < cells.size(); ++b) {
    best.rule.left[b] = cells[b].hessian == 0 && found->missing_left ? 1 : 0;
  }
  for (size_t i = found->begin; i < found->end; ++i) best.rule.left[size_t(bins[i])] = 1;
  best.rule.left.back() = found->missing_left ? 1 : 0;
}

// Stable: of equal ratios the lower category comes first.
void SplitSearch::SortByRatio(const Node& node, std::span<const Cell> cells,
                              std::vector<int32_t>& bins) const {
  std::vector<double> ratio(cells.size());
  for (const int32_t b : bins) {
    const Cell& cell = cells[size_t(b)];
    ratio[size_t(b)] = node.grid.GradientOf(cell.gradient) /
                       (node.grid.HessianOf(cell.hessian) + options_.smoothing);
  }
  std::ranges::stable_sort(bins, {}, [&](int32_t b) { return ratio[size_t(b)]; });
}

std::optional<NodeSplit> SplitSearch::Best(std::span<const Cell> histogram, const Grid& grid,
                                           const ValueBounds& bounds,
                                           std::span<const int32_t> columns) const {
  Node node{histogram, grid, bounds, histogram.back()};
  node.score =
      Score(grid.GradientOf(node.total.gradient), grid.HessianOf(node.total.hessian), bounds);
  // Rounding in double must not turn a split without effect into one.
  NodeSplit best{.gain = std::max(options_.min_gain, 1e-12 * std::fabs(node.score))};
  for (const int32_t column : columns) {
    if (bins_[size_t(column)].of_categories()) {
      SearchCategories(node, column, best);
    } else {
      SearchNumber(node, column, best);
    }
  }
  if (best.rule.column < 0) return std::nullopt;
  return best;
}

}  // namespace protium
