// SPDX-License-Identifier: Apache-2.0
#include "trials/trial_forest.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "base/splitmix.h"

namespace protium {
namespace {

constexpr uint64_t kTrees = 64;
constexpr size_t kFewest = 3;         // Points of a leaf.
constexpr double kLeastGain = 1e-12;  // As a share of the squared error: what is less is rounding.

using Points = std::span<const TrialPoint* const>;

// The points of a node in one cell of an option.
struct Bin {
  size_t cell = 0;
  double sum = 0;
  size_t count = 0;
  double mean() const { return sum / double(count); }
};

struct Split {
  size_t option = 0;
  uint64_t left = 0;  // The cells of its left side.
  double gain = 0;    // By how much the squared error falls.
};

double Sum(Points points) {
  double sum = 0;
  for (const TrialPoint* each : points) sum += each->value;
  return sum;
}

double SquaredError(Points points) {
  const double mean = Sum(points) / double(points.size());
  double error = 0;
  for (const TrialPoint* each : points) error += (each->value - mean) * (each->value - mean);
  return error;
}

class Grower {
 public:
  explicit Grower(std::span<const OptionCells> options) : options_(options) {}

  TrialTree Grow(std::vector<const TrialPoint*> points) {
    std::vector<uint64_t> whole;
    for (const OptionCells& each : options_) whole.push_back(each.all());
    least_gain_ = kLeastGain * SquaredError(points);
    tree_.clear();
    Divide(points, std::move(whole));
    return std::move(tree_);
  }

 private:
  // The bins that have points: a range's in its order, a choice's by their means, of which one
  // threshold is the best division in two (Fisher, 1958).
  std::vector<Bin> BinsOf(Points points, size_t option) const {
    std::array<Bin, 64> all{};
    for (const TrialPoint* each : points) {
      Bin& bin = all[each->cells[option]];
      bin.sum += each->value;
      ++bin.count;
    }
    std::vector<Bin> bins;
    for (size_t cell = 0; cell < all.size(); ++cell) {
      all[cell].cell = cell;
      if (all[cell].count > 0) bins.push_back(all[cell]);
    }
    if (!options_[option].ordered()) std::ranges::stable_sort(bins, {}, &Bin::mean);
    return bins;
  }

  // The cells of the box on the left of a split after bins[at]: empty cells of a range go to the
  // nearer side, those of a choice to the right one.
  uint64_t LeftCells(size_t option, const std::vector<Bin>& bins, size_t at) const {
    if (options_[option].ordered()) {
      const size_t end = (bins[at].cell + bins[at + 1].cell) / 2 + 1;
      return (uint64_t{1} << end) - 1;
    }
    uint64_t cells = 0;
    for (size_t i = 0; i <= at; ++i) cells |= uint64_t{1} << bins[i].cell;
    return cells;
  }

  std::optional<Split> FindSplit(Points points) const {
    const double whole = Sum(points), before = whole * whole / double(points.size());
    std::optional<Split> best;
    for (size_t option = 0; option < options_.size(); ++option) {
      const std::vector<Bin> bins = BinsOf(points, option);
      Bin left;
      for (size_t at = 0; at + 1 < bins.size(); ++at) {
        left.sum += bins[at].sum;
        left.count += bins[at].count;
        const size_t right = points.size() - left.count;
        if (left.count < kFewest || right < kFewest) continue;
        const double rest = whole - left.sum;
        const double gain = left.sum * left.mean() + rest * rest / double(right) - before;
        if (gain <= (best ? best->gain : least_gain_)) continue;
        best = {option, LeftCells(option, bins, at), gain};
      }
    }
    return best;
  }

  void Divide(std::span<const TrialPoint*> points, std::vector<uint64_t> box) {
    const std::optional<Split> split = FindSplit(points);
    if (!split) return AddLeaf(points, std::move(box));
    const auto is_left = [&](const TrialPoint* each) {
      return (split->left >> each->cells[split->option] & 1) != 0;
    };
    const auto right = std::ranges::stable_partition(points, is_left);
    const size_t left = points.size() - right.size();
    std::vector<uint64_t> left_box = box;
    left_box[split->option] &= split->left;
    box[split->option] &= ~split->left;
    Divide(points.first(left), std::move(left_box));
    Divide(points.subspan(left), std::move(box));
  }

  void AddLeaf(Points points, std::vector<uint64_t> box) {
    double volume = 1;
    for (size_t i = 0; i < options_.size(); ++i) volume *= options_[i].WeightOf(box[i]);
    tree_.push_back({std::move(box), Sum(points) / double(points.size()), volume});
  }

  std::span<const OptionCells> options_;
  double least_gain_ = 0;
  TrialTree tree_;
};

}  // namespace

std::vector<TrialTree> GrowTrialForest(std::span<const OptionCells> options,
                                       std::span<const TrialPoint> points) {
  Grower grower(options);
  std::vector<TrialTree> trees;
  uint64_t draws = 0;
  for (uint64_t tree = 0; tree < kTrees; ++tree) {
    std::vector<const TrialPoint*> drawn;
    for (size_t i = 0; i < points.size(); ++i) {
      drawn.push_back(&points[SplitMix(++draws * kSplitMixStep) % points.size()]);
    }
    trees.push_back(grower.Grow(std::move(drawn)));
  }
  return trees;
}

}  // namespace protium
