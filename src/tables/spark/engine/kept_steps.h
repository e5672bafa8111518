// SPDX-License-Identifier: Apache-2.0
// Rows of kept tables that tasks can make themselves: if only filters, splits, column selections
// and lookups lie between a table's files and a task, nothing is written a second time. Whatever
// only Spark can compute exactly is left to Spark.
#pragma once

#include <optional>
#include <vector>

#include "plan/row_steps.h"
#include "sql/kept_rows.h"

namespace protium {

// Returns the materialised node from which the rows of `plan` might be made one by one; null if
// there is none.
const Node* FindSource(const Plan& plan);

// Returns the splits that `whole` makes of the rows of `kept`, whose columns are `schema`, and that
// RowSteps cannot compute: for these, Spark must write each row's side as a column (a mark) when it
// writes the rows.
std::vector<KeptMark> CutsToMark(const Plan& whole, const Node* kept, const SchemaPtr& schema);

// Returns the steps that make the rows of `plan` from those of `kept`. `rows` describes what the
// files hold, whose columns are `files`. Returns nullopt if Spark has to make the rows, or if the
// columns would not be exactly `wanted`.
std::optional<RowSteps> StepsFrom(const Node* kept, const KeptRows& rows, const SchemaPtr& files,
                                  const Plan& plan, const arrow::Schema& wanted);

}  // namespace protium
