// SPDX-License-Identifier: Apache-2.0
// Rows of kept tables that tasks can make themselves: where nothing but filters, splits, chosen
// columns and lookups lies between a table's files and a task, nothing is written a second time.
// Whatever only Spark can compute exactly stays with Spark.
#pragma once

#include <optional>
#include <vector>

#include "plan/row_steps.h"
#include "sql/kept_rows.h"

namespace protium {

// The materialised node from whose rows those of `plan` might be made one by one; null if there is
// none.
const Node* FindSource(const Plan& plan);

// The splits that `whole` makes of the rows of `kept`, whose columns are `schema`, and that
// RowSteps cannot make: Spark must write each row's side as a column (a mark) when it writes the
// rows.
std::vector<KeptMark> CutsToMark(const Plan& whole, const Node* kept, const SchemaPtr& schema);

// The steps that make the rows of `plan` out of those of `kept`. `rows` says what lies in the
// files, whose columns are `files`. Nothing if Spark has to make them, or if the columns would not
// be exactly `wanted`.
std::optional<RowSteps> StepsFrom(const Node* kept, const KeptRows& rows, const SchemaPtr& files,
                                  const Plan& plan, const arrow::Schema& wanted);

}  // namespace protium
