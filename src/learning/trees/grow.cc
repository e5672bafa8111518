// SPDX-License-Identifier: Apache-2.0
#include "trees/grow.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "base/call.h"
#include "trees/part_rows.h"

namespace protium {
namespace {

// Histograms of leaves that wait for their split are kept up to this size; of others the sums of
// both children are made.
constexpr int64_t kMostHistogramBytes = int64_t{1} << 30;

}  // namespace

// One tree.
class Grower::Growing {
 public:
  Growing(Grower& grower, const Grid& grid, std::span<const uint64_t> words,
          std::span<const int32_t> columns)
      : my_(grower), grid_(grid), words_(words), columns_(columns) {}

  Result<Grown> Run() {
    PT_TRY(Begin());
    while (int64_t(leaves_.size()) < my_.options_.leaves) {
      const auto best = std::ranges::max_element(
          leaves_, {}, [](const Leaf& leaf) { return leaf.best ? leaf.best->gain : -1; });
      if (!best->best) break;
      PT_TRY(Divide(size_t(best - leaves_.begin())));
    }
    return Finish();
  }

 private:
  struct Leaf {
    int32_t node = 0;
    int64_t begin = 0, end = 0;  // Its rows in order_.
    int32_t depth = 0;
    Cell sums;
    ValueBounds bounds;
    std::vector<int32_t> way;  // With interactions: the columns that were split on, each once.
    std::optional<std::vector<Cell>> histogram;
    std::optional<NodeSplit> best;
  };

  std::span<const uint32_t> RowsOf(const Leaf& leaf) const {
    return std::span(my_.order_).subspan(size_t(leaf.begin), size_t(leaf.end - leaf.begin));
  }

  Status Begin() {
    grown_.tree.nodes.emplace_back();
    grown_.rules.emplace_back();
    Leaf root{.end = int64_t(my_.order_.size())};
    PT_TRY(SumUp(root));
    root.sums = root.histogram->back();
    grown_.tree.nodes[0].cover = grid_.HessianOf(root.sums.hessian);
    leaves_.push_back(std::move(root));
    return Search(leaves_);
  }

  // Collective.
  Status SumUp(Leaf& leaf) {
    leaf.histogram = TakeHistogram();
    my_.sums_.Add(RowsOf(leaf), words_, my_.ranks_->Local(*leaf.histogram));
    return Waiting([&] { return my_.ranks_->Sum(*leaf.histogram); });
  }

  // Counts the time of a collective call.
  template <class Call>
  Status Waiting(const Call& call) {
    const auto since = Clock::now();
    const Status status = call();
    my_.wait_seconds_ += std::chrono::duration<double>(Clock::now() - since).count();
    return status;
  }

  std::vector<Cell> TakeHistogram() {
    if (my_.free_.empty()) return std::vector<Cell>(size_t(my_.layout_.cells()));
    std::vector<Cell> taken = std::move(my_.free_.back());
    my_.free_.pop_back();
    return taken;
  }
  void FreeHistogram(Leaf& leaf) {
    if (leaf.histogram) my_.free_.push_back(*std::move(leaf.histogram));
    leaf.histogram.reset();
  }

  bool MayHaveSplit(const Leaf& leaf) const {
    const int32_t depth = my_.options_.depth;
    return (depth == 0 || leaf.depth < depth) && my_.search_.MayHaveSplit(leaf.sums, grid_);
  }

  // Collective. Finds the splits of new leaves; each rank searches its own columns.
  Status Search(std::span<Leaf> leaves) {
    std::vector<std::optional<NodeSplit>> best(leaves.size());
    for (size_t i = 0; i < leaves.size(); ++i) {
      const Leaf& leaf = leaves[i];
      if (!MayHaveSplit(leaf)) continue;
      const bool any = my_.rules_.together.empty() || leaf.way.empty();
      const std::vector<int32_t> own =
          my_.ranks_->Own(any ? columns_ : std::span<const int32_t>(StillAllowed(leaf.way)));
      best[i] = my_.search_.Best(*leaf.histogram, grid_, leaf.bounds, own);
    }
    PT_TRY(Waiting([&] { return my_.ranks_->TakeBest(best); }));
    for (size_t i = 0; i < leaves.size(); ++i) {
      leaves[i].best = std::move(best[i]);
      if (!leaves[i].best) FreeHistogram(leaves[i]);
    }
    return Status::OK();
  }

  Status Divide(size_t at) {
    Leaf parent = std::move(leaves_[at]);
    const NodeSplit split = *std::exchange(parent.best, std::nullopt);
    const auto rows =
        std::span(my_.order_).subspan(size_t(parent.begin), size_t(parent.end - parent.begin));
    const int64_t middle = parent.begin + PartRows(my_.rows_, split.rule, rows, my_.aside_);
    const int32_t node = AddNodes(parent.node, split);
    std::array<Leaf, 2> children;
    auto& [left, right] = children;
    left = {.node = node,
            .begin = parent.begin,
            .end = middle,
            .depth = parent.depth + 1,
            .sums = split.left,
            .bounds = split.left_bounds};
    right = {.node = node + 1,
             .begin = middle,
             .end = parent.end,
             .depth = parent.depth + 1,
             .sums = split.right,
             .bounds = split.right_bounds};
    left.way = parent.way;
    if (std::ranges::find(left.way, split.rule.column) == left.way.end()) {
      left.way.push_back(split.rule.column);
    }
    right.way = left.way;
    const bool full = int64_t(leaves_.size()) + 1 >= my_.options_.leaves;
    if (!full && (MayHaveSplit(left) || MayHaveSplit(right))) {
      PT_TRY(SumUpBoth(parent, left, right));
      PT_TRY(Search(children));
    }
    FreeHistogram(parent);
    leaves_[at] = std::move(left);
    leaves_.push_back(std::move(right));
    Shed();
    return Status::OK();
  }

  // The rows of the child with less weight are added up; the other's sums are the rest.
  Status SumUpBoth(Leaf& parent, Leaf& left, Leaf& right) {
    const bool left_is_less = left.sums.hessian <= right.sums.hessian;
    Leaf& less = left_is_less ? left : right;
    Leaf& more = left_is_less ? right : left;
    PT_TRY(SumUp(less));
    if (!parent.histogram) return SumUp(more);
    more.histogram = std::move(parent.histogram);
    parent.histogram.reset();
    my_.ranks_->Subtract(*less.histogram, *more.histogram);
    return Status::OK();
  }

  // Keeps the histograms of the leaves that are split soonest.
  void Shed() {
    const int64_t bytes = my_.layout_.cells() * int64_t(sizeof(Cell));
    const int64_t most = std::max<int64_t>(4, kMostHistogramBytes / bytes);
    if (int64_t(leaves_.size()) <= most) return;
    std::vector<Leaf*> having;
    for (Leaf& leaf : leaves_) {
      if (leaf.histogram) having.push_back(&leaf);
    }
    std::ranges::stable_sort(having, std::greater(), [](Leaf* leaf) { return leaf->best->gain; });
    for (size_t i = size_t(most); i < having.size(); ++i) having[i]->histogram.reset();
    my_.free_.resize(std::min(my_.free_.size(), size_t(most)));
  }

  int32_t AddNodes(int32_t parent, const NodeSplit& split) {
    const auto left = int32_t(grown_.tree.nodes.size());
    grown_.tree.nodes.resize(size_t(left) + 2);
    grown_.rules.resize(size_t(left) + 2);
    TreeNode& node = grown_.tree.nodes[size_t(parent)];
    const SplitRule& rule = split.rule;
    const ColumnBins& bins = my_.bins_[size_t(rule.column)];
    node.column = rule.column;
    node.left = left;
    node.missing_left = rule.missing_left;
    node.gain = float(split.gain);
    if (bins.of_categories()) {
      node.set = AddSet(bins, rule);
    } else {
      // Beyond the last cut only missing values are parted.
      node.threshold = size_t(rule.bin) < bins.cuts.size() ? bins.cuts[size_t(rule.bin)]
                                                           : std::numeric_limits<float>::infinity();
    }
    grown_.rules[size_t(parent)] = rule;
    grown_.tree.nodes[size_t(left)].cover = grid_.HessianOf(split.left.hessian);
    grown_.tree.nodes[size_t(left) + 1].cover = grid_.HessianOf(split.right.hessian);
    return left;
  }

  int32_t AddSet(const ColumnBins& bins, const SplitRule& rule) {
    std::vector<uint32_t>& sets = grown_.tree.sets;
    const auto begin = sets.size();
    sets.resize(begin + size_t(SetWords(bins.cardinality)));
    for (int64_t c = 0; c < bins.cardinality; ++c) {
      const uint32_t left = rule.left[size_t(bins.bin_of[size_t(c)])];
      sets[begin + size_t(c / 32)] |= left << (c % 32);
    }
    return int32_t(begin);
  }

  // The columns that are in one list with all those on the way to a leaf; a column in no list may
  // only be split on alone.
  std::vector<int32_t> StillAllowed(const std::vector<int32_t>& way) const {
    std::vector<bool> allowed(size_t(my_.rows_.columns()));
    if (way.size() == 1) allowed[size_t(way.front())] = true;
    for (const std::vector<int32_t>& list : my_.rules_.together) {
      const bool all = std::ranges::all_of(
          way, [&](int32_t column) { return std::ranges::find(list, column) != list.end(); });
      for (const int32_t column : list) allowed[size_t(column)] = allowed[size_t(column)] || all;
    }
    std::vector<int32_t> out;
    std::ranges::copy_if(columns_, std::back_inserter(out),
                         [&](int32_t column) { return allowed[size_t(column)]; });
    return out;
  }

  Grown Finish() {
    for (Leaf& leaf : leaves_) {
      FreeHistogram(leaf);
      TreeNode& node = grown_.tree.nodes[size_t(leaf.node)];
      node.value =
          float(my_.options_.learning_rate * my_.search_.ValueOf(leaf.sums, grid_, leaf.bounds));
      grown_.leaves.push_back({leaf.node, RowsOf(leaf)});
    }
    return std::move(grown_);
  }

  Grower& my_;
  const Grid& grid_;
  std::span<const uint64_t> words_;
  std::span<const int32_t> columns_;
  std::vector<Leaf> leaves_;
  Grown grown_;
};

Grower::Grower(const TreeOptions& options, const BinnedRows& rows, std::span<const ColumnBins> bins,
               const ColumnRules& rules)
    : options_(options),
      rows_(rows),
      bins_(bins),
      rules_(rules),
      layout_(bins),
      sums_(rows, layout_),
      search_(options, bins, layout_, rules.directions),
      aside_(size_t(rows.rows())) {}

Result<std::unique_ptr<Grower>> Grower::Make(const TreeOptions& options, const BinnedRows& rows,
                                             std::span<const ColumnBins> bins,
                                             const ColumnRules& rules, Communicator& communicator) {
  std::unique_ptr<Grower> out(new Grower(options, rows, bins, rules));
  PT_LET(out->ranks_, RankSums::Make(out->layout_, communicator));
  return out;
}

Grower::~Grower() = default;

Result<Grown> Grower::Grow(const Grid& grid, std::span<const uint64_t> words,
                           std::span<const uint32_t> chosen, std::span<const int32_t> columns) {
  order_.assign(chosen.begin(), chosen.end());
  return Growing(*this, grid, words, columns).Run();
}

double Grower::wait_seconds() const { return wait_seconds_; }

}  // namespace protium
