// SPDX-License-Identifier: Apache-2.0
#include "local/table_content.h"

#include <arrow/type.h>
#include <duckdb.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "base/json.h"
#include "duckdb/query.h"
#include "sql/dialect.h"

namespace protium {

Result<std::string> TableContent(const duck::Connection& connection, const std::string& table,
                                 const KeptRows& rows) {
  PT_LET(const SchemaPtr schema, DescribeSchema(connection, "SELECT * FROM " + table));
  Json columns = Json::array();
  std::string list;
  for (const auto& field : schema->fields()) {
    const auto& own = rows.columns;
    if (!own.empty() && std::ranges::find(own, field->name()) == own.end()) continue;
    const std::string name = QuoteName(field->name(), DuckDbDialect());
    columns.push_back({field->name(), field->type()->ToString()});
    list += ", " + name;
    // Both zeros have one hash.
    if (arrow::is_floating(field->type()->id())) list += ", signbit(" + name + ")";
  }
  PT_LET(
      const std::string sums,
      duck::AskText(connection,
                    fmt::format("SELECT concat_ws(' ', count(*), sum(CAST(hash(1{0}) AS HUGEINT)), "
                                "sum(CAST(hash('second'{0}) AS HUGEINT))) FROM {1}",
                                list, table)));
  return Sha256Hex(Dump({columns, sums, duckdb_library_version()}));
}

}  // namespace protium
