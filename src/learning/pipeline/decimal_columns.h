// SPDX-License-Identifier: Apache-2.0
// Decimals where they are learned from: as doubles, since scaling rounds them anyway.
#pragma once

#include "column/source.h"
#include "plan/node.h"

namespace protium {

// The rows of `table` with its columns of decimals as doubles; `schema` is the table's and becomes
// that of the result. A table without decimals is given back as it is.
Plan WithoutDecimals(const Plan& table, SchemaPtr& schema);

// Whether a projection of WithoutDecimals() may compute this column: then computing it again costs
// less than keeping it.
bool IsDecimalAsDouble(const Expr& expr);

}  // namespace protium
