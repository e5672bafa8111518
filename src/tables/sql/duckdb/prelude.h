// SPDX-License-Identifier: Apache-2.0
// What DuckDB is set to before it runs a plan, so that SQL means what it means in Spark 4 with ANSI
// mode on: settings, and macros that replace functions of DuckDB's own or add missing ones.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sql/duckdb/macros.h"

namespace protium {

// SQL statements: the first ones once for a database, the others for each new connection.
std::span<const std::string_view> DuckDbSettings();
std::span<const std::string_view> DuckDbConnectionSettings();

// All macros, each after those it calls. They also call C++ functions (pt_...) of the room
// `functions`, so they are made after these.
std::vector<Macro> DuckDbMacros();

// The macro that makes DuckDB's function of this name Spark's; nullptr if none is needed.
const Macro* FindDuckDbMacro(std::string_view name);

}  // namespace protium
