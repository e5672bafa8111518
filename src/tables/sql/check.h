// SPDX-License-Identifier: Apache-2.0
// Checks the parsed tree of a user's SQL, as DuckDB's json_serialize_sql returns it, for constructs
// that Spark and DuckDB interpret differently. Each one is replaced by an equivalent (sql/rules),
// noted as not exact, or refused by name. Nothing is run, and the tree needs no types yet: those
// come afterwards (sql_types/typer.h).
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
  Json tree;             // After the rules that apply to it: see sql/rules/rule.h.
  bool changed = false;  // Whether `tree` differs from what was given.
  // Notes for `protium plan`, sorted, each once: what may differ between engines or between runs.
  std::vector<std::string> not_exact;
};

// What the check needs to know about its surroundings.
struct SqlNames {
  // The tables that the text may name; case is ignored.
  std::vector<std::string> tables;
  // Whether DuckDB has a function of that name, for messages; empty: not asked.
  std::function<bool(const std::string&)> engine_function;
  // Compiles a regular expression; its status is the fault to report. Empty: patterns are not
  // checked before the query runs.
  std::function<Status(const std::string&)> check_pattern;
};

// "the SQL text, line 2, column 8" of the user's `text` for a node of the tree of `duck`; "the SQL
// text" alone for a node that a rule made, which has no place.
std::string DescribePlace(const Json& node, const std::string& text, const DuckText& duck);

// Checks and rewrites one statement. `duck` is the text that was parsed to `tree`, and `text` the
// user's text that `duck` was made from; both are used only to name places in messages. `tree` may
// also be the JSON in which json_serialize_sql reports a syntax error.
//
// Refuses (kUsage, with the place and, where there is one, what to write instead): anything but one
// SELECT, functions that are unknown or mean something else in Spark, tables that are not declared,
// files, samples, DESCRIBE and SHOW.
Result<CheckedTree> CheckSql(Json tree, const std::string& text, const DuckText& duck,
                             const SqlNames& names);

}  // namespace protium
