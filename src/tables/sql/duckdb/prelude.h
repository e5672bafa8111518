// SPDX-License-Identifier: Apache-2.0
// How DuckDB is set up before it runs a plan, so that SQL means what it means in Spark 4 in ANSI
// mode: settings, and macros that replace DuckDB's own functions or add missing ones.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sql/duckdb/macros.h"

namespace protium {

// SQL statements: the first function's for a database, once; the other's for each new connection.
std::span<const std::string_view> DuckDbSettings();
std::span<const std::string_view> DuckDbConnectionSettings();

// All macros, each after those that it calls. They also call C++ functions (pt_...) of the room
// `functions`, so these must be registered first.
std::vector<Macro> DuckDbMacros();

// The macro that makes DuckDB's function of this name behave as in Spark; nullptr if none is
// needed.
const Macro* FindDuckDbMacro(std::string_view name);

}  // namespace protium
