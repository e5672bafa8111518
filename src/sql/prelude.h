// SPDX-License-Identifier: Apache-2.0
// What DuckDB is told before it runs a plan, once for a database, so that SQL means what it means
// in Spark 4 with ANSI mode on: macros that shadow functions of its own or add missing ones.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace protium {

// Statements for the whole database, and statements for every connection.
std::span<const std::string_view> DuckDbSettings();
std::span<const std::string_view> DuckDbConnectionSettings();

// They call functions that the room `local` registers. CREATE MACRO <name> <body>.
struct Macro {
  std::string_view name;
  std::string_view body;  // "(a, b) AS ..., (a, b, c) AS ..."
};
std::vector<Macro> DuckDbMacros();

}  // namespace protium
