// SPDX-License-Identifier: Apache-2.0
// Writes the relational part of a plan as SQL: nested SELECTs in an engine's dialect.
//
// Split (docs/rows.md). The text of a row is the decimal seed, then for each column of `by`, in its
// order, "-" for NULL and otherwise "+", the number of characters of its text, ":" and the text.
// Texts: whole numbers in decimal; true, false; 2013-12-31; 2013-12-31 23:59:00, with as many
// digits of a fraction as needed; text itself; a double that is whole and below 2^53 as that whole
// number, any other double as its engine writes it (not exact). The row is on the part's side if
// the first 13 hexadecimal digits of the MD5 of that text (UTF-8) are less than floor(part * 2^52)
// written with 13 lower-case hexadecimal digits.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plan/node.h"
#include "sql/dialect.h"
#include "sql/kept_rows.h"
#include "sql_text/place.h"

namespace protium {

// A plan, or an Sql node, as a SELECT.
struct RelationSql {
  std::string text;
  std::vector<std::string> not_exact;  // What may differ between engines or runs, and why.
  std::vector<WrittenSql> texts;       // The users' texts in it: see PlaceInOriginal().
  // What may differ between two runs of the same engine on the same machine, and why.
  std::vector<std::string> varies;
};

// What the writer needs from the engine. The functions are called while writing, in its thread.
struct SqlContext {
  const Dialect* dialect = nullptr;
  // Nodes whose rows are computed already, and where. Nothing below them is written.
  std::unordered_map<const Node*, KeptRows> tables;
  // The schema of a SELECT, without running it. Called for splits alone.
  std::function<Result<SchemaPtr>(const std::string& sql)> describe;
  // Checks the text of an Sql node over its inputs, given as SELECTs, and returns what replaces it;
  // empty: the text is taken as it is.
  std::function<Result<RelationSql>(const Sql& sql, const std::vector<std::string>& inputs)> check;
  // How many rows a Scan may have, for the optimiser; empty: unknown.
  std::function<int64_t(const Scan& scan)> expected_rows;
  // Makes a table with the columns pt_key and pt_position for the keys of a Lookup and returns its
  // name. Empty: the keys are always written into the text, which is slow to parse beyond some
  // hundreds.
  std::function<Result<std::string>(const Lookup& lookup)> key_table;
};

// Writes `plan` as one SELECT. A MapTask that is not among the tables becomes an empty table of its
// output's types, which is enough to analyse the plan; a Write becomes its input. Fails with the
// error of a Broken node, with kUsage for errors in the user's request, and with CapacityError for
// a plan of more than 500 levels.
Result<RelationSql> WriteSql(const Plan& plan, const SqlContext& context);

}  // namespace protium
