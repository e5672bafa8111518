// SPDX-License-Identifier: Apache-2.0
// Casts as Spark performs them in ANSI mode, spelt for DuckDB by the two types they are between.
// Where DuckDB's own cast rounds, reads or writes differently, one of our functions takes its place
// (sql/duckdb/macros/pieces.cc).
#pragma once

#include "base/json.h"
#include "sql_tree/sql_type.h"

namespace protium {

// An expression for `value`, of type `from`, as a `to`. `tried` returns NULL instead of an error.
// It takes the place of `value` and has no alias.
Json Converted(Json value, const SqlType& from, const SqlType& to, bool tried = false);

// Casts the node in place, keeping its alias. Nothing happens if the types are equal or one of them
// is unknown.
void Coerce(Json& node, const SqlType& from, const SqlType& to);

// Spark's rule for literals (DecimalType.fromLiteral): beside a decimal, a constant whole number is
// a decimal of as many digits as it is written with, not of the ten or twenty of its type. Casts
// such a node and sets `type`; leaves all others.
void TightenBesideDecimal(Json& node, SqlType& type, const SqlType& beside);

}  // namespace protium
