// SPDX-License-Identifier: Apache-2.0
// Decimal arithmetic as functions of DuckDB's SQL.
#pragma once

#include "duckdb/handles.h"

namespace protium {

// Registers pt_decimal_0 to pt_decimal_38(operation, a, b), which return a DECIMAL(38, n): a
// function's result type is fixed when it is registered, hence one for each scale. For the
// operations see java/decimal_arithmetic.h; `b` is a decimal, or the number of digits to round to.
Status RegisterDecimalFunctions(const duck::Connection& connection);

}  // namespace protium
