// SPDX-License-Identifier: Apache-2.0
// Casts as Spark does them in ANSI mode, spelled by the types they are between. Where DuckDB's own
// cast rounds, reads or writes otherwise, a function of ours stands for it
// (sql/functions/pieces.cc).
#pragma once

#include "base/json.h"
#include "sql/types/sql_type.h"

namespace protium {

// `value` as a `to`. What is tried gives null instead of an error.
Json Converted(Json value, const SqlType& from, const SqlType& to, bool tried = false);

// Casts the node in its place where the types differ and both are known.
void Coerce(Json& node, const SqlType& from, const SqlType& to);

// A constant whole number beside a decimal is a decimal of as many digits as it is written with.
void TightenBesideDecimal(Json& node, SqlType& type, const SqlType& beside);

}  // namespace protium
