// SPDX-License-Identifier: Apache-2.0
// A state (state.h): the exact sums of the numbers of a list and of all products of two of them,
// from which covariances are computed.
#pragma once

#include <arrow/type_fwd.h>

#include <vector>

#include "base/exact_sum.h"
#include "statistics/number_counts.h"

namespace protium {

// Lists that are NULL, or contain NULL or NaN, are left out. Refused are an infinite number, lists
// of different lengths (Exit::kInput) and lists of more than kMostNumbers (Exit::kNoRoom): the sums
// for lists of 256 take 38 MB. Emits one row per sum, and one for the number of rows.
class Products {
 public:
  static constexpr size_t kMostNumbers = 256;

  Status Add(const arrow::Array& lists);
  Status Emit(const EmitRow& emit) const;
  Status Merge(const StateRow& row);
  int64_t rows() const { return rows_; }
  size_t length() const { return sums_.size(); }
  std::vector<double> Means() const;
  // Returns the sample covariances (divisor n - 1), row by row, `length()` squared; 0 for fewer
  // than two rows.
  std::vector<double> Covariances() const;

 private:
  Status Resize(size_t length);
  size_t At(size_t i, size_t j) const;  // i <= j.

  std::vector<ExactSum> sums_;
  std::vector<ExactSum> products_;  // The upper triangle, row by row.
  int64_t rows_ = 0;
};

}  // namespace protium
