// SPDX-License-Identifier: Apache-2.0
// Conditions, NULL and NaN, and types called as functions.
#include "sql/duckdb/macros.h"

namespace protium {
namespace {

constexpr Macro kConditions[] = {
    // Null counts as false.
    {"assert_true",
     "(c) AS nullif(CASE WHEN coalesce(c, false) THEN true ELSE error('assert_true failed') "
     "END, "
     "true), (c, m) AS nullif(CASE WHEN coalesce(c, false) THEN true ELSE error(m) END, "
     "true)"},
    {"binary", "(s) AS pt_bytes(s)"},
    {"binary_literal", "(s) AS system.main.unhex(s)"},
    {"equal_null", "(a, b) AS a IS NOT DISTINCT FROM b"},
    // How the bodies of macros fail. DuckDB's own error() counts as volatile: no alias may repeat a
    // call, and no filter moves past one. A failing cast works as well; fault.cc extracts the text
    // from DuckDB's message. NULL as an element of a list has every type, as error() does.
    {"error", "(m) AS ([NULL])[CAST(system.main.chr(1) || m AS BIGINT)]"},
    {"if", "(a, b, c) AS CASE WHEN a THEN b ELSE c END"},
    {"ifnull", "(a, b) AS coalesce(a, b)"},
    // DuckDB's isnan(NULL) is NULL, Spark's is false.
    {"isnan", "(x) AS coalesce(system.main.isnan(CAST(x AS DOUBLE)), false)"},
    {"isnotnull", "(x) AS x IS NOT NULL"},
    {"isnull", "(x) AS x IS NULL"},
    {"nanvl", "(a, b) AS CASE WHEN system.main.isnan(CAST(a AS DOUBLE)) THEN b ELSE a END"},
    {"nullifzero", "(x) AS nullif(x, 0)"},
    {"nvl", "(a, b) AS coalesce(a, b)"},
    {"nvl2", "(a, b, c) AS CASE WHEN a IS NOT NULL THEN b ELSE c END"},
    {"raise_error", "(m) AS error(m)"},
    {"zeroifnull", "(x) AS coalesce(x, 0)"},
};

}  // namespace

std::span<const Macro> macros::Conditions() { return kConditions; }

}  // namespace protium
