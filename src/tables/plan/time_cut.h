// SPDX-License-Identifier: Apache-2.0
// SQL that cuts the rows of a table in the order of a column of times. Rows with equal times stay
// together, and a row without a time fails the query with a message that names the column. The cuts
// follow from counts of rows alone, so they are the same on every engine and in any row order.
#pragma once

#include <cstdint>
#include <string>

#include "plan/node.h"

namespace protium {

// The last part of the rows.
struct TimeCut {
  std::string time;   // A date, a timestamp or a whole number.
  double part = 0.2;  // Its least share of the rows: the latest times that hold as many.
  std::string from;   // Instead: the time it begins with, "2025-06-01" or "2025-06-01 12:00".
};

// Keeps the rows of the last part, or all others.
Plan SideInTime(const TimeCut& cut, Split::Side side, Plan rows);
// Adds a boolean column that is true in the last part; keeps all rows.
Plan MarkInTime(const TimeCut& cut, const std::string& column, Plan rows);

// An expanding window over time: the rows are cut into `folds` + 1 parts of about the same size.
struct TimeFolds {
  std::string time;
  int32_t folds = 5;
  int64_t gap = 0;  // How many different times before a held-out part nothing is learned from.
};

// Adds two int64 columns: `part`, the fold that holds the row out, from 0, or -1 for the first
// part; and `before`, the first fold but one that may learn from it: fold i learns from rows whose
// `before` is less than i.
Plan NumberInTime(const TimeFolds& folds, const std::string& part, const std::string& before,
                  Plan rows);

// A SQL call that fails the query with this message.
std::string ErrorInSql(const std::string& why);
// The same for a row that has no `time`, which `what` needs.
std::string NoTimeInSql(const std::string& time, const std::string& what);

}  // namespace protium
