// SPDX-License-Identifier: Apache-2.0
// Turns SQL text that a person wrote, and plans, into SELECTs for DuckDB. The rules are in the room
// sql; here DuckDB is asked what only it knows: how it parses a text, which functions it has, and
// which types columns have.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "duckdb/handles.h"
#include "sql/writer.h"

namespace protium {

class Questions;

// Checks the text of an Sql node over `inputs`, given as SELECTs, and returns the text to run
// instead, with notes on what in it is not exact. Text that Spark and DuckDB would interpret
// differently is rewritten, or is a Fault with exit kUsage that names the position.
Result<RelationSql> ReadSql(const Sql& sql, const std::vector<std::string>& inputs,
                            const duck::Connection& connection);

// Returns the name of a table of a Lookup's keys: see SqlContext::key_table.
using KeyTable = std::function<Result<std::string>(const Lookup& lookup)>;

// Writes `plan` as a SELECT for the embedded engine. `tables` are the kept tables and task results
// below it, which must exist.
Result<RelationSql> WriteFor(Questions& questions, const Plan& plan,
                             std::unordered_map<const Node*, KeptRows> tables, KeyTable key_table);

// The SELECT of a table that will be kept, with the sides of splits as additional columns.
struct KeptSelect {
  std::string text;
  KeptRows rows;  // The table has no name yet.
  std::vector<std::string> not_exact;
};
// Adds a column for each of `cuts` to `select`; without cuts the text stays as it is.
Result<KeptSelect> WriteKept(Questions& questions, const std::string& select,
                             std::vector<KeptMark> cuts);

}  // namespace protium
