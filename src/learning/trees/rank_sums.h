// SPDX-License-Identifier: Apache-2.0
// Adds up histograms over the ranks of a gang and finds the best split of all: each rank has part
// of the columns, whose sums it reads from the others' memory, and searches these alone. So neither
// traffic nor work is done twice, and a rank knows the sums of its own columns only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "trees/histogram.h"
#include "trees/split.h"

namespace protium {

// One thread; every rank makes the same calls. Borrows layout and communicator.
class RankSums {
 public:
  // Collective.
  static Result<std::unique_ptr<RankSums>> Make(const HistogramLayout& layout,
                                                Communicator& communicator);

  // Where to write the sums over the own rows, for all columns: memory that others read, or `out`
  // if there are none.
  std::span<Cell> Local(std::span<Cell> out);
  // Collective. Sets the own columns of `out`, and its last cell, to the sums over all ranks of
  // what they have written to Local(). The rest of `out` stays as it is.
  Status Sum(std::span<Cell> out);
  // Those of `columns` that are this rank's; both ascend.
  std::vector<int32_t> Own(std::span<const int32_t> columns) const;
  // Subtracts `less` from `more` in the own columns and the last cell.
  void Subtract(std::span<const Cell> less, std::span<Cell> more) const;
  // Collective. Replaces each of these by the best of all ranks: the one that gains most, of equal
  // ones that of the lowest column.
  Status TakeBest(std::span<std::optional<NodeSplit>> splits);

 private:
  RankSums(const HistogramLayout& layout, Communicator& communicator);

  const HistogramLayout& layout_;
  Communicator& communicator_;
  int32_t begin_ = 0, end_ = 0;  // The own columns.
  // They take turns: while one is filled, ranks may still be reading the other.
  std::array<std::unique_ptr<Window>, 2> windows_;
  size_t turn_ = 0;
};

}  // namespace protium
