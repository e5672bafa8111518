// SPDX-License-Identifier: Apache-2.0
// Learning reads decimals as doubles, since scaling rounds them anyway.
#pragma once

#include "column/source.h"
#include "plan/node.h"

namespace protium {

// Returns the rows of `table` with decimal columns cast to double; `schema` is the table's and
// becomes that of the result. Returns a table without decimals unchanged.
Plan WithoutDecimals(const Plan& table, SchemaPtr& schema);

// Whether `expr` may be a projection of WithoutDecimals(): such a column is cheaper to compute
// again than to keep.
bool IsDecimalAsDouble(const Expr& expr);

}  // namespace protium
