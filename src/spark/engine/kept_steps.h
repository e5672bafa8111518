// SPDX-License-Identifier: Apache-2.0
// Rows of kept tables that tasks can make themselves: where nothing but filters, cuts, choices of
// columns and lookups lies between a table's files and a task, nothing is written a second time.
#pragma once

#include <optional>
#include <vector>

#include "plan/row_steps.h"
#include "sql/kept_rows.h"

namespace protium {

// The node whose rows `plan` may be made of row by row; null where there is none.
const Node* SourceOf(const Plan& plan);

// The cuts that `whole` makes of the rows of `kept`, of the columns `schema`, and that steps cannot
// make: Spark has to say their sides when it writes the rows.
std::vector<KeptMark> CutsToMark(const Plan& whole, const Node* kept, const SchemaPtr& schema);

// What makes the rows of `plan` of those of `kept`, which are `rows` in files of the columns
// `files`; nothing where Spark has to, or where columns would come out other than `wanted`.
std::optional<RowSteps> StepsFrom(const Node* kept, const KeptRows& rows, const SchemaPtr& files,
                                  const Plan& plan, const arrow::Schema& wanted);

}  // namespace protium
