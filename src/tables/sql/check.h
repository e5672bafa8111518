// SPDX-License-Identifier: Apache-2.0
// Checks the parsed tree of a user's SQL, as DuckDB's json_serialize_sql returns it, for constructs
// that Spark and DuckDB interpret differently. Each one is replaced by an equivalent (sql/rules),
// noted as not exact, or refused by name. Nothing is run, and the tree needs no types yet: they are
// derived afterwards (sql_types/typer.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "sql_text/spark_text.h"

namespace protium {

// The outcome of a check that refused nothing.
struct CheckedTree {
  Json tree;             // After all applicable rules: see sql/rules/rule.h.
  bool changed = false;  // Whether `tree` differs from what was given.
  // Notes for `protium plan`, sorted and distinct: what may differ between engines or runs.
  std::vector<std::string> not_exact;
};

// What the check needs to know about its surroundings.
struct SqlNames {
  // The tables that the text may name; case is ignored.
  std::vector<std::string> tables;
  // Whether DuckDB has a function of that name, for messages; empty: not checked.
  std::function<bool(const std::string&)> engine_function;
  // Compiles a regular expression; a failed status is the fault to report. Empty: patterns are not
  // checked before the query runs.
  std::function<Status(const std::string&)> check_pattern;
  // The orders of its windows are known to have no ties: there is nothing to note about them.
  bool without_ties = false;
};

// "the SQL text, line 2, column 8" of the user's `text` for a node of the tree of `duck`; only "the
// SQL text" for a node that a rule made, which has no position.
std::string DescribePlace(const Json& node, const std::string& text, const DuckText& duck);

// Checks and rewrites one statement. `duck` is the text that was parsed to `tree`, and `text` the
// user's text from which `duck` was made; both are used only to name positions in messages. `tree`
// may also be the JSON in which json_serialize_sql reports a syntax error.
//
// Refuses (kUsage, with the position and, if there is one, the replacement to write): anything but
// a single SELECT, functions that are unknown or mean something else in Spark, tables that are not
// declared, files, samples, DESCRIBE and SHOW.
Result<CheckedTree> CheckSql(Json tree, const std::string& text, const DuckText& duck,
                             const SqlNames& names);

}  // namespace protium
