// SPDX-License-Identifier: Apache-2.0
// Casts as Spark performs them in ANSI mode, spelt for DuckDB by source and target type. Where
// DuckDB's own cast rounds, reads or writes differently, one of our functions replaces it
// (sql/duckdb/macros/pieces.cc).
#pragma once

#include "base/json.h"
#include "sql_tree/sql_type.h"

namespace protium {

// Returns an expression that converts `value` from type `from` to `to`. `tried` returns NULL
// instead of an error. The expression replaces `value` and has no alias.
Json Converted(Json value, const SqlType& from, const SqlType& to, bool tried = false);

// Casts the node in place, retaining its alias. Does nothing if the types are equal or one of them
// is unknown.
void Coerce(Json& node, const SqlType& from, const SqlType& to);

// Applies Spark's rule for literals (DecimalType.fromLiteral): beside a decimal, a constant whole
// number is a decimal of as many digits as are written, not of the ten or twenty of its type. Casts
// such a node and sets `type`; leaves all others unchanged.
void TightenBesideDecimal(Json& node, SqlType& type, const SqlType& beside);

}  // namespace protium
