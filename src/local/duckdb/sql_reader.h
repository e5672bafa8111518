// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "local/duckdb/handles.h"
#include "sql/writer.h"

namespace protium {

// Checks the text of an Sql node over `inputs`, given as SELECTs, and gives the text that runs in
// its place.
Result<RelationSql> ReadSql(const Sql& sql, const std::vector<std::string>& inputs,
                            const duck::Connection& connection);

// Gives the name of a table of a Lookup's keys: see SqlContext::key_table.
using KeyTable = std::function<Result<std::string>(const Lookup& lookup)>;

// Writes `plan` as a SELECT for the embedded engine; `tables` are there already.
Result<RelationSql> WriteFor(const duck::Connection& connection, const Plan& plan,
                             std::unordered_map<const Node*, KeptRows> tables, KeyTable key_table);

// The SELECT of a table to be kept, with the sides of cuts as columns.
struct KeptSelect {
  std::string text;
  KeptRows rows;  // The table has no name yet.
  std::vector<std::string> not_exact;
};
Result<KeptSelect> WriteKept(const duck::Connection& connection, const std::string& select,
                             std::vector<KeptMark> cuts);

}  // namespace protium
