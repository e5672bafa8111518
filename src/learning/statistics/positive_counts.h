// SPDX-License-Identifier: Apache-2.0
// A state (state.h): in how many rows the number at each position of a list is above 0.
#pragma once

#include <arrow/type_fwd.h>

#include <vector>

#include "statistics/number_counts.h"

namespace protium {

// NULL lists are left out; lists of different lengths are refused (Exit::kInput). Emits one row per
// position, and one without a position for the number of rows.
class PositiveCounts {
 public:
  Status Add(const arrow::Array& lists);
  Status Emit(const EmitRow& emit) const;
  Status Merge(const StateRow& row);
  int64_t rows() const { return rows_; }
  const std::vector<int64_t>& counts() const { return counts_; }  // By position.

 private:
  std::vector<int64_t> counts_;
  int64_t rows_ = 0;
};

}  // namespace protium
