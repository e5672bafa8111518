// SPDX-License-Identifier: Apache-2.0
// Spark functions that DuckDB's SQL cannot express, written in C++. SQL names are macros over them
// (sql/duckdb/macros.h). All are pure: the same arguments give the same result on every machine.
#pragma once

#include "duckdb/handles.h"

namespace protium {

// Registers pt_round(x, digits) and pt_bround(x, digits), both also without digits, pt_double_text,
// pt_float_text, pt_cbrt, and all row functions (functions/themes.h).
Status RegisterScalarFunctions(const duck::Connection& connection);

}  // namespace protium
