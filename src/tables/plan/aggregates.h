// SPDX-License-Identifier: Apache-2.0
// Functions of many rows within expressions. Engines compute expressions of one row (functions.h)
// and SQL texts; an expression with aggregates is taken apart into both: columns for the arguments,
// calls in a SELECT with groups or windows, and expressions over what the calls gave.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "plan/node.h"
#include "protium/expr.h"
#include "protium/task.h"

namespace protium {

struct AggregateFunction {
  std::string_view name;  // In an Expr.
  std::string_view door;  // As a program writes it: Sum.
  int32_t arguments = 0;  // That are expressions; offsets are not among them.
  std::string_view sql;   // Spark's, {0} and {1} standing for columns or an offset.
  bool windows_only = false;
  bool ranged = true;  // Whether a window may say which rows it sees.
};

// Returns nullptr for a name that is not one of them.
const AggregateFunction* FindAggregate(std::string_view name);

// One call, over columns alone.
struct AggregateCall {
  std::string column;  // The result's.
  std::string sql;     // sum("pt_0")
  bool ranged = true;
};

// Expressions taken apart.
struct LiftedColumns {
  // What is to be computed for each row first, as pt_0, pt_1, ...; names that are taken are passed
  // over.
  std::vector<NamedExpr> arguments;
  std::vector<AggregateCall> calls;
  std::vector<NamedExpr> columns;  // Of the calls' columns and plain ones.
};

// Takes `columns` apart. An aggregate within another, or one that only windows have where `windows`
// is false, is a fault (kUsage). Offsets must be literals. `taken` are the columns that stand
// beside the lifted ones.
Result<LiftedColumns> LiftAggregates(const std::vector<NamedExpr>& columns, bool windows,
                                     const Columns& taken);

// "a" DESC NULLS LAST, "b" ASC NULLS FIRST
std::string OrderList(const std::vector<SortKey>& keys);
// "a", "b"
std::string NameList(const Columns& names);
// By the groups of a task, then in the order that it asks for within them.
std::vector<SortKey> GroupOrder(const MapTask& task);
// The rows of a task over groups, brought into their groups by SQL's `clauses`; without groups the
// input as it is.
Plan InGroups(const MapTask& task, const Plan& input, const std::string& clauses);

}  // namespace protium
