// SPDX-License-Identifier: Apache-2.0
// The functions that SQL text may call, one row each, by theme and in the order of their names. To
// add one: a row here, a line in tests/parity/functions.csv and a parity case.
#pragma once

#include <span>
#include <string_view>

#include "sql/known_functions.h"

namespace protium {

struct SqlFunction {
  KnownFunction known;
  // What makes DuckDB mean what Spark does, where its own function of that name does not:
  // CREATE MACRO <name> <macro>. system.main.f is DuckDB's own f, which a macro of that name hides.
  std::string_view macro;  // "(a, b) AS ..., (a, b, c) AS ..."
};

namespace functions {

// DuckDB's own function is Spark's.
constexpr SqlFunction Same(std::string_view name) { return {{name, Meaning::kSame, "", ""}, ""}; }
constexpr SqlFunction NotExact(std::string_view name, std::string_view reason,
                               std::string_view macro = "") {
  const size_t body = macro.find(" AS ");
  const bool composed =
      body != std::string_view::npos && (macro.substr(body + 4).starts_with("CASE") ||
                                         macro.substr(body + 4).starts_with("coalesce"));
  return {{name, Meaning::kNotExact, reason, "", composed}, macro};
}
constexpr SqlFunction Macro(std::string_view name, std::string_view macro) {
  SqlFunction function = NotExact(name, "", macro);
  function.known.meaning = Meaning::kSame;
  return function;
}
constexpr SqlFunction Refused(std::string_view name, std::string_view reason,
                              std::string_view fix = "") {
  return {{name, Meaning::kRefused, reason, fix}, ""};
}

inline constexpr std::string_view kLastBit = "the last bit may differ between engines";
inline constexpr std::string_view kFloatSum =
    "sums of doubles depend on the order of the rows; whole numbers are exact";
inline constexpr std::string_view kTies = "where rows tie in its order, either may come first";
inline constexpr std::string_view kAnyRow = "which row it takes depends on the order of the rows";
inline constexpr std::string_view kNow = "gives another value in every run";
inline constexpr std::string_view kTextOrder =
    "the order of its elements depends on the order of the rows";
inline constexpr std::string_view kJava =
    "its patterns are Java's, which the embedded engine does not have";
inline constexpr std::string_view kOneSide = "the embedded engine has it, Spark has not";
inline constexpr std::string_view kHash = "every engine has a hash of its own";
inline constexpr std::string_view kFiles =
    "SQL text reads tables by name; files are declared outside it";
inline constexpr std::string_view kDeclare =
    "declare it: [tables] name = { csv = \"...\" }, or Session::Read()";
inline constexpr std::string_view kCastText =
    "for text in ISO form use CAST(... AS DATE) or AS TIMESTAMP";
inline constexpr std::string_view kEstimate = "every engine estimates in its own way";

std::span<const SqlFunction> Aggregates();
std::span<const SqlFunction> Conditions();
std::span<const SqlFunction> Dates();
std::span<const SqlFunction> EngineOnly();
std::span<const SqlFunction> Lists();
std::span<const SqlFunction> Numbers();
std::span<const SqlFunction> Operators();
std::span<const SqlFunction> Patterns();
std::span<const SqlFunction> Pieces();  // pt_..., of which macros are made, also those below.
std::span<const SqlFunction> Text();

}  // namespace functions

// All themes.
std::span<const std::span<const SqlFunction>> SqlFunctions();

}  // namespace protium
