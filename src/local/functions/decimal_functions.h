// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "local/duckdb/handles.h"

namespace protium {

// Registers pt_decimal_0 to pt_decimal_38(operation, a, b), which give a DECIMAL of 38 digits with
// that many behind the point: see local/functions/decimal_arithmetic.h for the operations. `b` is a
// decimal, or the number of digits to round to.
Status RegisterDecimalFunctions(const duck::Connection& connection);

}  // namespace protium
