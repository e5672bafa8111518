// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "local/duckdb.h"
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
                             std::unordered_map<const Node*, std::string> tables,
                             KeyTable key_table);

}  // namespace protium
