// SPDX-License-Identifier: Apache-2.0
// Grows one tree, leaf by leaf: the leaf whose split gains most is split next, until there are
// enough leaves or nothing gains. All ranks make the same splits, since all see the same sums.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "protium/trees.h"
#include "trees/binned_rows.h"
#include "trees/forest.h"
#include "trees/histogram.h"
#include "trees/rank_sums.h"
#include "trees/split.h"

namespace protium {

// What columns a tree may use; complete, by position.
struct ColumnRules {
  std::vector<int8_t> directions;              // 1 rising, -1 falling, 0 neither.
  std::vector<std::vector<int32_t>> together;  // Of interactions; empty: all columns.
};

// A grown tree. Its leaves have the values of SplitSearch::ValueOf() times the learning rate.
struct Grown {
  // The own rows that reach a leaf, ascending; valid until the next Grow().
  struct Leaf {
    int32_t node = 0;
    std::span<const uint32_t> rows;
  };
  Tree tree;
  std::vector<SplitRule> rules;  // One per node.
  std::vector<Leaf> leaves;
};

// One thread. Borrows everything.
class Grower {
 public:
  // Collective.
  static Result<std::unique_ptr<Grower>> Make(const TreeOptions& options, const BinnedRows& rows,
                                              std::span<const ColumnBins> bins,
                                              const ColumnRules& rules, Communicator& communicator);
  ~Grower();

  // Collective. `words`: one per own row (RoundToGrid()); `chosen`: the rows to learn from,
  // ascending; `columns`: those to split on, ascending.
  Result<Grown> Grow(const Grid& grid, std::span<const uint64_t> words,
                     std::span<const uint32_t> chosen, std::span<const int32_t> columns);
  // Seconds spent in collective calls, waiting included, since it was made.
  double wait_seconds() const;

 private:
  class Growing;
  Grower(const TreeOptions& options, const BinnedRows& rows, std::span<const ColumnBins> bins,
         const ColumnRules& rules);

  const TreeOptions& options_;
  const BinnedRows& rows_;
  std::span<const ColumnBins> bins_;
  const ColumnRules& rules_;
  HistogramLayout layout_;
  HistogramSums sums_;
  std::unique_ptr<RankSums> ranks_;
  SplitSearch search_;
  double wait_seconds_ = 0;
  std::vector<uint32_t> order_;          // Rows, leaf by leaf.
  std::vector<uint32_t> aside_;          // While a leaf is divided.
  std::vector<std::vector<Cell>> free_;  // Histograms to be used again.
};

}  // namespace protium
