// SPDX-License-Identifier: Apache-2.0
// Sums of gradients and hessians by bin, for all columns: what a node's split is chosen from. All
// sums are whole numbers, so those of ranks may be added in any order, and those of one child are
// the parent's less the other's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trees/binned_rows.h"
#include "trees/grid.h"

namespace protium {

// The cells of the columns one after another, each with a cell for every bin and one for missing
// values; the last cell of all is the sum over the rows.
class HistogramLayout {
 public:
  explicit HistogramLayout(std::span<const ColumnBins> bins);
  int64_t cells() const { return first_.back() + 1; }
  int32_t columns() const { return int32_t(first_.size()) - 1; }
  // Of the column after the last one: where the columns end.
  int64_t first(int64_t column) const { return first_[size_t(column)]; }
  // The cells of one column: its bins, then the missing one.
  std::span<const Cell> Of(std::span<const Cell> histogram, int64_t column) const {
    return histogram.subspan(size_t(first(column)), size_t(first(column + 1) - first(column)));
  }

 private:
  std::vector<int64_t> first_;  // One more than there are columns.
};

// One thread. Borrows the rows.
class HistogramSums {
 public:
  HistogramSums(const BinnedRows& rows, const HistogramLayout& layout);
  // Sets `out` to the sums over these rows, which ascend; `words` has one for every row
  // (RoundToGrid()).
  void Add(std::span<const uint32_t> rows, std::span<const uint64_t> words, std::span<Cell> out);

 private:
  void AddNarrow(std::span<const uint32_t> rows, std::span<Cell> out);
  void AddWide(int32_t column, std::span<const uint32_t> rows, std::span<Cell> out) const;
  void Flush(int64_t first, int64_t end, std::span<Cell> out);

  const BinnedRows& rows_;
  const HistogramLayout& layout_;
  std::vector<int32_t> wide_;
  std::vector<uint64_t> words_;  // Of the rows of one call.
  std::vector<uint64_t> sums_;   // 256 for each of a block of narrow columns.
};

}  // namespace protium
