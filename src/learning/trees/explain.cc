// SPDX-License-Identifier: Apache-2.0
// The Shapley value of column i is the integral over t in [0, 1] of how the prediction changes with
// i, when each other column is known with probability t (Owen, "Multilinear Extensions of Games",
// 1972). For one leaf this is a polynomial in t: with s_j the share of the cover that the splits on
// column j let pass, and k_j = 1 if the row passes them all, else 0,
//
//   value * integral of (k_i - s_i) * product over the other columns j of (k_j * t + s_j * (1 - t))
//
// Its degree is the number of columns on the path less one, so Gauss-Legendre quadrature at half as
// many points is exact. At one point t the products of all leaves follow from one walk down a tree
// and one walk up: no column of a path must be taken out of a product, and nothing is divided. The
// lanes of a vector are points.
//
// At a split on column j, of which the row passes all earlier ones on the path, the side that the
// row does not take is reached with probability `away * e` and the other with 1 - away * e, where
// `away` is the share of the cover on that side and e the probability that j is unknown to us:
// 1 - t at the first split on j and s_j * (1 - t) / (t + s_j * (1 - t)) later. Once the row has
// failed a split on j, j must be unknown, hence e = 1, and later splits add nothing to j.

#include "trees/explain.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/clones.h"

namespace protium {
namespace {

constexpr int32_t kLanes = 8;
// Aligned alike in all clones of a function.
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double)), aligned(64)));
// So that what they need of one tree stays in the cache.
constexpr size_t kRowsTogether = 32;

struct Points {
  std::vector<double> at, weight;  // In (0, 1); the weights add up to 1.
};

// The roots of Legendre's polynomial of degree `n`, moved from [-1, 1], by Newton's method.
Points GaussLegendre(int32_t n) {
  Points points;
  for (int32_t i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int step = 0; step < 10; ++step) {
      double before = 1, value = x;
      for (int32_t k = 2; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
        before = std::exchange(value, next);
      }
      slope = n * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    points.at.push_back((1 + x) / 2);
    points.weight.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return points;
}

// What splits on a column make of it, from where the row has passed all of them so far.
struct Chance {
  Lanes unknown;  // e of the comment above.
  Lanes factor;   // Of what a split adds to its column, beside the probability to come here.
};

struct Split {
  int32_t node = 0;             // In Tree::nodes.
  int32_t column = 0;           // In PlannedTree::columns.
  int32_t earlier = -1;         // The nearest split above on the same column; -1: none.
  int32_t passed = 0;           // The side of `earlier` that leads here: 0 left, 1 right.
  int32_t below[2] = {-1, -1};  // The splits on both sides; -1: a leaf.
  double value[2] = {0, 0};     // Of the leaves.
  double cover[2] = {0, 0};     // The shares of the cover that go to both sides.
  double share = 1;             // s_j of `column` above this split.
  int32_t distinct = 0;         // Columns on the path to this split, without its own.
  int32_t chance = 0;           // In PlannedTree::chances, at each block of points.
};

// One walk's points: the lanes of t and of the weights of the quadrature.
struct Block {
  Lanes t, weight;
};

constexpr int32_t kFailed = 0, kFirst = 1;  // Chances that every tree has.

struct PlannedTree {
  std::vector<Split> splits;     // Parents come before children.
  std::vector<int32_t> columns;  // That the tree splits on, each once.
  std::vector<Block> blocks;
  std::vector<Chance> chances;  // [blocks, each]
  size_t each = 0;
};

// The share of the cover of a split that goes left. Files may have any covers.
double LeftShare(double left, double right) {
  left = std::max(left, 0.0), right = std::max(right, 0.0);
  return left + right > 0 ? left / (left + right) : 0.5;
}

// Finds the nearest split above `split` on its column, from its parent `above`.
void FindEarlier(const std::vector<Split>& splits, const std::vector<int32_t>& above, int32_t at,
                 Split& split) {
  for (int32_t below = at, up = above[size_t(at)]; up >= 0; below = up, up = above[size_t(up)]) {
    const Split& other = splits[size_t(up)];
    if (other.column != split.column) continue;
    split.earlier = up;
    split.passed = other.below[1] == below ? 1 : 0;
    split.share = other.share * other.cover[split.passed];
    return;
  }
}

// Fills in all of the splits but `chance`.
void PlanSplits(const Tree& tree, std::vector<int32_t>& column_at, PlannedTree& out) {
  std::vector<int32_t> position(tree.nodes.size(), -1), above;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].leaf()) continue;
    position[i] = int32_t(out.splits.size());
    int32_t& column = column_at[size_t(tree.nodes[i].column)];
    if (column < 0) {
      column = int32_t(out.columns.size());
      out.columns.push_back(tree.nodes[i].column);
    }
    out.splits.push_back({.node = int32_t(i), .column = column});
  }
  for (const int32_t column : out.columns) column_at[size_t(column)] = -1;
  above.assign(out.splits.size(), -1);
  for (size_t s = 0; s < out.splits.size(); ++s) {
    Split& split = out.splits[s];
    const size_t left = size_t(tree.nodes[size_t(split.node)].left);
    split.cover[0] = LeftShare(tree.nodes[left].cover, tree.nodes[left + 1].cover);
    split.cover[1] = 1 - split.cover[0];
    FindEarlier(out.splits, above, int32_t(s), split);
    for (size_t side = 0; side < 2; ++side) {
      split.value[side] = tree.nodes[left + side].value;
      const int32_t below = split.below[side] = position[left + side];
      if (below < 0) continue;
      above[size_t(below)] = int32_t(s);
      out.splits[size_t(below)].distinct = split.distinct + (split.earlier < 0 ? 1 : 0);
    }
  }
}

void PlanPoints(PlannedTree& out) {
  int32_t most = 1, repeated = kFirst;
  for (Split& split : out.splits) {
    most = std::max(most, split.distinct + (split.earlier < 0 ? 1 : 0));
    split.chance = split.earlier < 0 ? kFirst : ++repeated;
  }
  const int32_t blocks = (most + 2 * kLanes - 1) / (2 * kLanes);
  const Points points = GaussLegendre(blocks * kLanes);
  out.each = size_t(repeated) + 1;
  for (int32_t b = 0; b < blocks; ++b) {
    Block& block = out.blocks.emplace_back();
    for (int32_t lane = 0; lane < kLanes; ++lane) {
      block.t[lane] = points.at[size_t(b * kLanes + lane)];
      block.weight[lane] = points.weight[size_t(b * kLanes + lane)];
    }
    const Lanes none = block.t * 0, one = none + 1;
    out.chances.push_back({.unknown = one, .factor = none});
    out.chances.push_back({.unknown = 1 - block.t, .factor = one});
    for (const Split& split : out.splits) {
      if (split.earlier < 0) continue;
      const Lanes rest = split.share * (1 - block.t), all = block.t + rest;
      out.chances.push_back({.unknown = rest / all, .factor = split.share / (all * all)});
    }
  }
}

// What a walk remembers of a split.
struct Step {
  Lanes here;          // The probability to come here, times the weight of the point.
  Lanes away;          // The probability not to take the row's side.
  Lanes expected;      // What the subtree is expected to give from here.
  int32_t takes = 0;   // The row's side.
  int32_t chance = 0;  // Of its column here: kFailed or Split::chance.
};

// What a column of a tree adds.
struct Added {
  Lanes lanes;
};

// Reused from row to row.
struct Walk {
  std::vector<Step> steps;   // By the tree's splits.
  std::vector<Added> added;  // By its columns.
};

// Where the row goes at every split of the tree, also at those that it does not reach.
void TakeSides(const Forest& forest, const Tree& tree, const PlannedTree& plan, const float* row,
               Walk& walk) {
  for (size_t s = 0; s < plan.splits.size(); ++s) {
    const Split& split = plan.splits[s];
    const TreeNode& node = tree.nodes[size_t(split.node)];
    const ForestColumn& column = forest.columns[size_t(node.column)];
    walk.steps[s].takes = tree.Next(node, column, row[node.column]) - node.left;
    walk.steps[s].chance = split.chance;
    if (split.earlier < 0) continue;
    const Step& earlier = walk.steps[size_t(split.earlier)];
    if (earlier.chance == kFailed || earlier.takes != split.passed) walk.steps[s].chance = kFailed;
  }
}

// Adds to Walk::added what the columns of the tree add at the points of one block.
PT_CLONES void WalkTree(const PlannedTree& plan, const Block& block, const Chance* chances,
                        Walk& walk) {
  walk.steps[0].here = block.weight;
  for (size_t s = 0; s < plan.splits.size(); ++s) {
    const Split& split = plan.splits[s];
    Step& step = walk.steps[s];
    const int32_t taken = step.takes, other = 1 - taken;
    step.away = split.cover[other] * chances[step.chance].unknown;
    const Lanes here = step.here, gone = here * step.away;
    if (split.below[other] >= 0) walk.steps[size_t(split.below[other])].here = gone;
    if (split.below[taken] >= 0) walk.steps[size_t(split.below[taken])].here = here - gone;
  }
  for (size_t s = plan.splits.size(); s-- > 0;) {
    const Split& split = plan.splits[s];
    Step& step = walk.steps[s];
    const int32_t taken = step.takes, other = 1 - taken;
    Lanes there = Lanes{} + split.value[taken], elsewhere = Lanes{} + split.value[other];
    if (split.below[taken] >= 0) there = walk.steps[size_t(split.below[taken])].expected;
    if (split.below[other] >= 0) elsewhere = walk.steps[size_t(split.below[other])].expected;
    const Lanes more = there - elsewhere;
    step.expected = there - step.away * more;
    walk.added[size_t(split.column)].lanes +=
        step.here * chances[step.chance].factor * split.cover[other] * more;
  }
}

double Sum(const Lanes& lanes) {
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

double MeanOf(const PlannedTree& plan, const Tree& tree) {
  if (plan.splits.empty()) return tree.nodes[0].value;
  std::vector<double> mean(plan.splits.size());
  for (size_t s = plan.splits.size(); s-- > 0;) {
    const Split& split = plan.splits[s];
    for (size_t side = 0; side < 2; ++side) {
      const int32_t below = split.below[side];
      mean[s] += split.cover[side] * (below < 0 ? split.value[side] : mean[size_t(below)]);
    }
  }
  return mean[0];
}

}  // namespace

struct ForestExplainer::Paths {
  std::vector<PlannedTree> trees;
  size_t splits = 0, columns = 0;  // The most that a tree has.
};

ForestExplainer::ForestExplainer(const Forest& forest)
    : forest_(forest), mean_(forest.base.begin(), forest.base.end()) {
  auto paths = std::make_unique<Paths>();
  std::vector<int32_t> column_at(forest.columns.size(), -1);
  for (size_t t = 0; t < forest.trees.size(); ++t) {
    PlannedTree& plan = paths->trees.emplace_back();
    PlanSplits(forest.trees[t], column_at, plan);
    PlanPoints(plan);
    paths->splits = std::max(paths->splits, plan.splits.size());
    paths->columns = std::max(paths->columns, plan.columns.size());
    mean_[t % mean_.size()] += MeanOf(plan, forest.trees[t]);
  }
  paths_ = std::move(paths);
}
ForestExplainer::~ForestExplainer() = default;
ForestExplainer::ForestExplainer(ForestExplainer&&) noexcept = default;

void ForestExplainer::Explain(std::span<const float> rows, std::span<double> by_column,
                              std::span<const int32_t> of) const {
  const size_t width = forest_.columns.size(), outputs = mean_.size();
  std::ranges::fill(by_column, 0.0);
  Walk walk{std::vector<Step>(paths_->splits), std::vector<Added>(paths_->columns)};
  const size_t count = width == 0 ? 0 : rows.size() / width;
  for (size_t begin = 0; begin < count; begin += kRowsTogether) {
    const size_t end = std::min(count, begin + kRowsTogether);
    for (size_t t = 0; t < forest_.trees.size(); ++t) {
      const PlannedTree& plan = paths_->trees[t];
      if (plan.splits.empty()) continue;
      const size_t output = t % outputs;
      for (size_t row = begin; row < end; ++row) {
        if (!of.empty() && size_t(of[row]) != output) continue;
        TakeSides(forest_, forest_.trees[t], plan, rows.data() + row * width, walk);
        std::fill_n(walk.added.begin(), plan.columns.size(), Added{});
        for (size_t b = 0; b < plan.blocks.size(); ++b) {
          WalkTree(plan, plan.blocks[b], plan.chances.data() + b * plan.each, walk);
        }
        double* const out = by_column.data() + (of.empty() ? row * outputs + output : row) * width;
        for (size_t c = 0; c < plan.columns.size(); ++c) {
          out[plan.columns[c]] += Sum(walk.added[c].lanes);
        }
      }
    }
  }
}

}  // namespace protium
