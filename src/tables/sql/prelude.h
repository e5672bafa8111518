// SPDX-License-Identifier: Apache-2.0
// What DuckDB is told before it runs a plan, so that SQL means what it means in Spark 4 with ANSI
// mode on: settings, and macros that replace functions of DuckDB's own or add missing ones.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace protium {

// SQL statements: the first ones once for a database, the others for each new connection.
std::span<const std::string_view> DuckDbSettings();
std::span<const std::string_view> DuckDbConnectionSettings();

// The macros of all rows of sql_words/functions, each after those it calls. They also call C++
// functions (pt_...) that the room `local` registers, so they are made after these: CREATE MACRO
// <name> <body>.
struct Macro {
  std::string_view name;
  std::string_view body;  // "(a, b) AS ..., (a, b, c) AS ..."
};
std::vector<Macro> DuckDbMacros();

}  // namespace protium
