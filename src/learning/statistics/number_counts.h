// SPDX-License-Identifier: Apache-2.0
// The rows in which states travel, and the state that counts numbers (state.h), which other states
// contain.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "statistics/number_table.h"

namespace protium {

// A piece of a state on its way to the driver, one row of the pass's output. Each state defines the
// meaning of the members.
struct StateRow {
  std::optional<std::string> text;
  std::optional<double> number;
  int64_t count = 0;
};
using EmitRow = std::function<Status(const StateRow&)>;

// How often each number occurs, infinities included; NULL and NaN are missing, -0.0 is counted as
// 0.0. Emits one row per number, and one without number for the missing. At most 50 million
// distinct numbers (Exit::kNoRoom).
class NumberCounts {
 public:
  Status Add(const arrow::Array& values);  // Of doubles.
  Status Emit(const EmitRow& emit) const;
  Status Merge(const StateRow& row);
  int64_t count() const;  // Of values that are not missing.
  // The middle value, or the lower of the two middle values; count() must not be 0.
  double Median() const;
  // The quantiles k / parts for k = 1 .. parts - 1, ascending: each is the least value v such that
  // at least k / parts of all values are at most v, so always an element of the data. count() must
  // not be 0.
  std::vector<double> Quantiles(int64_t parts) const;
  // The quantile of one share from 0 to 1, defined likewise; share 0 is the least value.
  double Quantile(double share) const;
  // Those of several shares, which ascend.
  std::vector<double> QuantilesAt(std::span<const double> shares) const;
  // The most frequent value, the least one of ties; count() must not be 0.
  double Mode() const;
  int64_t missing() const { return missing_; }
  const NumberTable& counts() const { return counts_; }

 private:
  Status Count(double value, int64_t count);
  // The values at these ranks, counted from 1 in ascending order of all values. Ranks must not
  // descend.
  std::vector<double> AtRanks(const std::vector<int64_t>& ranks) const;

  NumberTable counts_;
  int64_t missing_ = 0;
};

}  // namespace protium
