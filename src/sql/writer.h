// SPDX-License-Identifier: Apache-2.0
// Writes the relational part of a plan as SQL: nested SELECTs in an engine's dialect.
//
// Split. The text of a row is the decimal seed, then for each column of `by` in its order "-" for
// NULL and otherwise "+", the number of characters of its text, ":" and its text. Texts: whole
// numbers in decimal; true, false; 2013-12-31; 2013-12-31 23:59:00, with as many digits of a
// fraction as needed; text itself; a double that is whole and below 2^53 as that whole number, any
// other double as its engine writes it (not exact). The row is on the part's side when the first 13
// hexadecimal digits of the MD5 of that text (UTF-8) are less than floor(part * 2^52) written with
// 13 lower-case hexadecimal digits.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plan/node.h"
#include "sql/dialect.h"

namespace protium {

struct RelationSql {
  std::string text;
  std::vector<std::string> not_exact;  // What may differ between engines or runs, with reasons.
};

// What writing needs to know from the engine.
struct SqlContext {
  const Dialect* dialect = nullptr;
  // Nodes that are there already, by the quoted name of a table. Nothing below them is written.
  std::unordered_map<const Node*, std::string> tables;
  // The schema of a SELECT; moves no data.
  std::function<Result<SchemaPtr>(const std::string& sql)> describe;
  // Checks the text of an Sql node over inputs, given as SELECTs, and gives what takes its place;
  // empty: taken as it is.
  std::function<Result<RelationSql>(const Sql& sql, const std::vector<std::string>& inputs)> check;
  // A table with the columns pt_key and pt_position for the keys of a Lookup; empty: the keys are
  // written into the text, whose parsing is slow beyond some hundreds.
  std::function<Result<std::string>(const Lookup& lookup)> key_table;
};

// A MapTask that is not among the tables is written as an empty table of its output's types; Write
// as its input.
Result<RelationSql> WriteSql(const Plan& plan, const SqlContext& context);

}  // namespace protium
