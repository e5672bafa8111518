// SPDX-License-Identifier: Apache-2.0
// What differs between the engines' SQL, as values: a dialect is a row of a table.
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <string_view>

#include "plan/node.h"
#include "sql/functions/expressions.h"

namespace protium {

struct Dialect {
  std::string_view name;
  char quote;                                // Around names; doubled inside.
  std::string_view text_escape;              // What stands for ' inside '...'.
  bool backslash;                            // Whether \ has to be doubled inside '...'.
  std::string_view ExprSpelling::*spelling;  // The column of the table of expressions' functions.
  // A function of seed, bound and cells that says the side of a split; empty: it is spelt in SQL.
  std::string_view part_side;
  std::string_view boolean_type, int32_type, int64_type, float_type, double_type, text_type;
  // The text of a Scan's files as a table; null where the engine names them itself. `rows` are to
  // be expected; -1: unknown. No answer depends on it.
  Result<std::string> (*scan)(const Scan& scan, int64_t rows);
  // The place of the text {0} among the listed texts {1}, NULL if it is none of them; empty where a
  // join finds it.
  std::string_view place;
};

const Dialect& DuckDbDialect();
const Dialect& SparkDialect();

std::string QuoteName(std::string_view name, const Dialect& dialect);
std::string QuoteText(std::string_view text, const Dialect& dialect);
Result<std::string> TypeText(const arrow::DataType& type, const Dialect& dialect);
Result<std::string> ExprText(const Expr& expr, const Dialect& dialect);

}  // namespace protium
