// SPDX-License-Identifier: Apache-2.0
// The differences between the engines' SQL as data: a dialect is a row of values, from which the
// functions below write names, literals, types and expressions. The writer (writer.h) uses nothing
// else, so it has no branch for any engine.
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <string_view>

#include "plan/node.h"
#include "sql/spellings.h"

namespace protium {

// How a dialect names the types of columns. Dates and decimals have the same names everywhere.
struct TypeNames {
  std::string_view boolean = "BOOLEAN";
  std::string_view int32;
  std::string_view int64 = "BIGINT";
  std::string_view float32 = "FLOAT";
  std::string_view float64 = "DOUBLE";
  std::string_view text, binary;
  std::string_view timestamp;  // Without a zone.
  std::string_view list;       // {} stands for the type of its elements.
};

// One engine's spellings. Everything it points to lives as long as the program.
struct Dialect {
  std::string_view name;
  char quote;                               // Around names; doubled inside.
  std::string_view text_escape;             // How ' is written inside '...'.
  bool backslash;                           // Whether \ escapes inside '...' and is doubled.
  std::span<const ExprSpelling> spellings;  // Where it differs from CommonSpellings().
  // A function (seed, bound, cells...) that returns the side of a split; empty: the hash is written
  // out in SQL (writer.h has the formula).
  std::string_view part_side;
  TypeNames types;
  // Returns the SELECT that reads a Scan's files; null where the engine's own code names them.
  // `rows` is an estimate for the optimiser, -1 if unknown; results never depend on it.
  Result<std::string> (*scan)(const Scan& scan, int64_t rows);
  // Returns the SELECT of a NamedTable's rows; null where the engine's own code names it.
  Result<std::string> (*named)(const NamedTable& table);
  // A function (cell, missing, unseen, keys) that returns the position, from 0, of a cell's text in
  // the list `keys`; empty where this takes a join with a table of keys.
  std::string_view key_place;
};

const Dialect& DuckDbDialect();
const Dialect& SparkDialect();

// Quotes a name or a text so that the engine reads back exactly these bytes.
std::string QuoteName(std::string_view name, const Dialect& dialect);
std::string QuoteText(std::string_view text, const Dialect& dialect);
// Returns the engine's name of an Arrow type, for casts and for columns of CSV files. Refuses
// (kInput) a type that no column here can have. Integers below 32 bits become 32 bits; unsigned
// ones up to 32 bits become 64 bits.
Result<std::string> TypeText(const arrow::DataType& type, const Dialect& dialect);
// Writes an expression as SQL text that stays intact in any context. Refuses (kUsage) unknown
// functions and wrong numbers of arguments.
Result<std::string> ExprText(const Expr& expr, const Dialect& dialect);

}  // namespace protium
