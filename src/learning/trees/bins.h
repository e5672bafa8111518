// SPDX-License-Identifier: Apache-2.0
// Cuts the values of columns into bins, so that a tree need only choose among a few cuts of each.
//
// 1. Cuts depend on the training rows alone: they are made from those whose key (rows/key.h) is
//    below a bound, a random sample that is the same for any number of ranks.
// 2. A number's bin b holds cuts[b-1] < x <= cuts[b], compared as float32; a cut lies in the middle
//    between two neighbouring values of the sample, so rows of the sample never lie on one.
// 3. A category's bin is the category, as long as there are fewer than kMostBins.
// 4. The last bin of a column is that of missing values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "rows/rows.h"
#include "trees/forest.h"

namespace protium {

struct ColumnBins {
  int64_t cardinality = 0;        // As in ForestColumn.
  std::vector<float> cuts;        // For numbers, ascending.
  std::vector<int32_t> category;  // For categories: that of each bin.
  std::vector<int32_t> bin_of;    // For categories: the bin of each; missing() for rare ones.

  bool of_categories() const { return cardinality > 0; }
  // Without the one for missing values.
  int32_t count() const {
    return of_categories() ? int32_t(category.size()) : int32_t(cuts.size()) + 1;
  }
  int32_t missing() const { return count(); }
  // NaN, and a category that the column does not have, are missing.
  int32_t BinOf(float x) const;
  void BinsOf(std::span<const float> values, uint16_t* out) const;  // The same for many.
};

// How many bins a column of categories may have; the rarest of more are taken for missing.
inline constexpr int64_t kMostBins = 65535;
// How many rows the sample is expected to have, if there are as many.
inline constexpr int64_t kSampleRows = 200'000;

// Collective. Returns the bins of every column; at most `most` for a number. Takes the memory of
// the sample of one block of columns at a time.
Result<std::vector<ColumnBins>> MakeBins(const ShardedRows& rows,
                                         std::span<const ForestColumn> columns, int32_t most,
                                         Communicator& communicator);

// The cuts of a number from its values, which get sorted; NaN must not be among them. Values that
// make up a bin's share of the rows or more get a bin of their own.
std::vector<float> CutsOf(std::span<float> values, int32_t most);

}  // namespace protium
