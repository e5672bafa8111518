// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>

#include "local/duckdb.h"
#include "sql/writer.h"

namespace protium {

// Checks the text of an Sql node and gives the text that runs in its place.
Result<RelationSql> ReadSql(const Sql& sql, const duck::Connection& connection);

// Writes `plan` as a SELECT for the embedded engine; `tables` are there already.
Result<RelationSql> WriteFor(const duck::Connection& connection, const Plan& plan,
                             std::unordered_map<const Node*, std::string> tables);

}  // namespace protium
