// SPDX-License-Identifier: Apache-2.0
// Looks through the parsed tree of a user's SQL, as DuckDB's json_serialize_sql gives it, for what
// engines do not agree on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "sql/spark_text.h"

namespace protium {

// What the check gives: the tree to go on with, and what people are told of it.
struct CheckedTree {
  Json tree;             // With what DuckDB would read otherwise replaced: see sql/rules/rule.h.
  bool changed = false;  // Whether `tree` differs from what was given.
  std::vector<std::string> not_exact;
};

// What the check may rely on.
struct SqlNames {
  std::vector<std::string> tables;                          // Known by name to the text.
  std::function<bool(const std::string&)> engine_function;  // Does the engine have a function?
  // Whether the engine knows a regular expression; a fault otherwise.
  std::function<Status(const std::string&)> check_pattern;
};

// Where a node of the tree stands in `text`, as line and column.
std::string DescribePlace(const Json& node, const std::string& text, const DuckText& duck);

// `tree` is that of `duck`, which was made of `text`; these are for places (line and column) in
// messages. Refusals (kUsage) name the function, the reason and what to write instead: functions
// that mean something else in Spark or are unknown, tables that are not declared, files, samples,
// more than one statement.
Result<CheckedTree> CheckSql(Json tree, const std::string& text, const DuckText& duck,
                             const SqlNames& names);

}  // namespace protium
