// SPDX-License-Identifier: Apache-2.0
// Functions of many rows within expressions. Engines compute expressions of one row (functions.h)
// and SQL texts; an expression with aggregates is split into both: columns for the arguments, calls
// in a SELECT with groups or windows, and expressions over the results of the calls.
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
  int32_t arguments = 0;  // The number that are expressions; offsets are not among them.
  std::string_view sql;   // Spark's SQL; {0} and {1} stand for columns or an offset.
  bool windows_only = false;
  bool ranged = true;  // Whether a window may restrict the rows it sees.
};

// Returns nullptr for the name of no such function.
const AggregateFunction* FindAggregate(std::string_view name);

// One call, over columns alone.
struct AggregateCall {
  std::string column;  // The result's.
  std::string sql;     // sum("pt_0")
  bool ranged = true;
};

// Expressions after the split.
struct LiftedColumns {
  // What must first be computed for each row, as pt_0, pt_1, ...; taken names are skipped.
  std::vector<NamedExpr> arguments;
  std::vector<AggregateCall> calls;
  std::vector<NamedExpr> columns;  // Over the calls' columns and plain ones.
};

// Splits `columns`. An aggregate within another, or a window-only one if `windows` is false, is a
// fault (kUsage). Offsets must be literals. `taken` are the columns beside the lifted ones.
Result<LiftedColumns> LiftAggregates(const std::vector<NamedExpr>& columns, bool windows,
                                     const Columns& taken);

// Returns "a" DESC NULLS LAST, "b" ASC NULLS FIRST
std::string OrderList(const std::vector<SortKey>& keys);
// Returns "a", "b"
std::string NameList(const Columns& names);
// Orders by the groups of a task, then in the order that it requests within them.
std::vector<SortKey> GroupOrder(const MapTask& task);
// Returns the rows of a task over groups, brought into their groups by the SQL `clauses`; without
// groups, the input unchanged.
Plan InGroups(const MapTask& task, const Plan& input, const std::string& clauses);

}  // namespace protium
