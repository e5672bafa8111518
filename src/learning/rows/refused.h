// SPDX-License-Identifier: Apache-2.0
// Counts and reports what cannot become a packed row: one message for a whole gang instead of an
// error at the first bad cell of some rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Bad cells of one column for one reason.
struct RefusedCells {
  std::string column;
  std::string reason;  // "NULL", "NaN", ...
  int64_t count = 0;
  int64_t first_row = 0;  // From 1, among all rows passed to this rank.
  int32_t rank = -1;      // The rank that has this row; -1: not set.
};

// The cells and rows that one rank, or all of them, could not pack.
struct Refused {
  std::vector<RefusedCells> cells;
  int64_t rows = 0;  // Rows that were checked.
  int64_t needed_bytes = 0;
  int64_t budget_bytes = 0;  // How much room there is.
  std::string disk;          // A full folder; empty: only memory was to be used.
  std::string why;           // In the system's words.

  bool full() const { return needed_bytes > budget_bytes; }
  RefusedCells& Of(const std::string& column, const std::string& reason);
  // Returns OK if nothing was refused; else a fault that names the first refused column, with the
  // count, and how many other columns or reasons there are. Exceeding the budget comes first.
  Status ToStatus() const;
};

Json RefusedToJson(const Refused& refused);
Result<Refused> RefusedFromJson(const Json& json);

// Adds the counts of all ranks; the first row is the lowest rank's. Budgets are judged rank by
// rank; the worst one is reported.
Refused MergeRefused(const std::vector<Refused>& ranks);

}  // namespace protium
