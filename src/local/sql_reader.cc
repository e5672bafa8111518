// SPDX-License-Identifier: Apache-2.0
#include "local/sql_reader.h"

#include "local/query.h"

namespace protium {

Result<RelationSql> ReadSql(const Sql& sql, const duck::Connection&) {
  return RelationSql{sql.text, {}};
}

Result<RelationSql> WriteFor(const duck::Connection& connection, const Plan& plan,
                             std::unordered_map<const Node*, std::string> tables) {
  SqlContext context{.dialect = &DuckDbDialect(), .tables = std::move(tables)};
  context.describe = [&](const std::string& select) { return SchemaOf(connection, select); };
  context.check = [&](const Sql& sql) { return ReadSql(sql, connection); };
  return WriteSql(plan, context);
}

}  // namespace protium
