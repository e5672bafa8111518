// SPDX-License-Identifier: Apache-2.0
// The functions that SQL text may call, one row each, by theme and sorted by name: whether every
// engine gives the same result, and the types of arguments and result. The text is Spark's own, so
// Spark needs no spelling; what another engine computes differently is in a separate table
// (sql/duckdb/macros.h). To add one: a row here, a spelling there if the engine's own function
// differs from Spark's, a line in tests/parity/functions.csv and a parity case.
#pragma once

#include <span>
#include <string_view>

#include "sql_words/known_functions.h"

namespace protium {

// A row; all of it is constant data.
struct SqlFunction {
  KnownFunction known;
  // Types, for functions without their own rule (sql_types/calls.h); empty: DuckDB is asked.
  //
  // Arguments, one letter each, the last one for all that follow:
  //   t text   d date   s timestamp   n double   b boolean   i whole number of 32 bits, l of 64
  //   k of 32 bits, but nothing wider is cast to it   w any whole number, or boolean   o binary, or
  //   text, which stands for its UTF-8 bytes   x text, but nothing else is cast to it, e nor taken
  //   * anything
  // Result: a letter as above, l for BIGINT, y for TINYINT, v for an interval or m for one of
  // months. A lower-case letter casts the result to it; a capital means that the function returns
  // that type anyway. 1 for the type of the first argument, A for a list of it, ? for what DuckDB
  // says.
  std::string_view arguments = {};
  char result = '?';

  constexpr SqlFunction Typed(std::string_view arguments_typed, char result_typed) const {
    return {known, arguments_typed, result_typed};
  }
};

namespace functions {

// Makes rows. Same: every engine gives Spark's result. NotExact: the same except for what `reason`
// says. Refused: `reason` says why, `fix` what to write instead.
constexpr SqlFunction Same(std::string_view name) { return {{name}}; }
constexpr SqlFunction NotExact(std::string_view name, std::string_view reason) {
  return {{name, Meaning::kNotExact, reason}};
}
// Makes a row for the parser alone; `form` is what a user writes instead.
constexpr SqlFunction Parsed(std::string_view name, std::string_view form) {
  return {{name, Meaning::kSame, "", form, true}};
}
constexpr SqlFunction Refused(std::string_view name, std::string_view reason,
                              std::string_view fix = "") {
  return {{name, Meaning::kRefused, reason, fix}};
}

// Reasons and fixes that several rows share.
inline constexpr std::string_view kLastBit = "the last bit may differ between engines";
inline constexpr std::string_view kFloatSum =
    "sums of doubles depend on the order of the rows; whole numbers are exact";
inline constexpr std::string_view kTies = "where rows tie in its order, either may come first";
inline constexpr std::string_view kAnyRow = "which row it takes depends on the order of the rows";
inline constexpr std::string_view kZones = "each engine's release has its own rules for time zones";
inline constexpr std::string_view kFewRows = "exact for up to 10,000 rows, an error for more";
inline constexpr std::string_view kNow = "gives a different value in every run";
inline constexpr std::string_view kTextOrder =
    "the order of its elements depends on the order of the rows";
inline constexpr std::string_view kJava =
    "its patterns are Java's, which the embedded engine does not have";
inline constexpr std::string_view kOneSide = "the embedded engine has it, Spark does not";
inline constexpr std::string_view kHash = "every engine has its own hash";
inline constexpr std::string_view kFiles =
    "SQL text reads tables by name; files are declared outside it";
inline constexpr std::string_view kDeclare =
    "declare it: [tables] name = { csv = \"...\" }, or Session::Read()";
inline constexpr std::string_view kCastText =
    "for text in ISO form use CAST(... AS DATE) or AS TIMESTAMP";
inline constexpr std::string_view kEstimate = "every engine estimates in its own way";

// Whether a theme is sorted by name, as FindSqlFunction() requires; checked at compile time.
constexpr bool AreInOrder(std::span<const SqlFunction> rows) {
  for (size_t i = 1; i < rows.size(); ++i) {
    if (!(rows[i - 1].known.name < rows[i].known.name)) return false;
  }
  return true;
}

std::span<const SqlFunction> Aggregates();
std::span<const SqlFunction> Conditions();
std::span<const SqlFunction> Dates();
std::span<const SqlFunction> EngineOnly();
std::span<const SqlFunction> JsonTexts();
std::span<const SqlFunction> Lists();
std::span<const SqlFunction> Numbers();
std::span<const SqlFunction> Operators();
std::span<const SqlFunction> Patterns();
std::span<const SqlFunction> Pieces();  // pt_..., which rules call.
std::span<const SqlFunction> Text();

}  // namespace functions

// All themes; no name is in two of them.
std::span<const std::span<const SqlFunction>> SqlFunctions();

// Finds a row by its name in lower case, a piece (pt_...) as well; nullptr for other names.
const SqlFunction* FindSqlFunction(std::string_view name);

}  // namespace protium
