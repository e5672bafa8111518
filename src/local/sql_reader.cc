// SPDX-License-Identifier: Apache-2.0
#include "local/sql_reader.h"

#include "local/functions/regex.h"
#include "local/query.h"
#include "sql/check.h"

namespace protium {
namespace {

std::string Quoted(const std::string& text) { return QuoteText(text, DuckDbDialect()); }

bool HasFunction(const duck::Connection& connection, const std::string& name) {
  const auto answer = duck::AskText(
      connection,
      "SELECT CAST(count(*) AS VARCHAR) FROM duckdb_functions() WHERE function_name = " +
          Quoted(name));
  return answer.ok() && *answer != "0";
}

}  // namespace

Result<RelationSql> ReadSql(const Sql& sql, const duck::Connection& connection) {
  PT_LET(const DuckText duck, FromSpark(sql.text));
  PT_LET(const std::string parsed,
         duck::AskText(connection, "SELECT json_serialize_sql(" + Quoted(duck.text) + ")"));
  Json tree = Json::parse(parsed, nullptr, /*allow_exceptions=*/false);
  const SqlNames names{sql.names,
                       [&](const std::string& name) { return HasFunction(connection, name); },
                       [](const std::string& pattern) { return Regex::Compile(pattern).status(); }};
  PT_LET(CheckedTree checked, CheckSql(std::move(tree), sql.text, duck, names));
  // A text that ends its statement by itself cannot stand in parentheses.
  const bool ends = duck.text.find(';') != std::string::npos;
  if (!checked.changed && !ends) return RelationSql{duck.text, std::move(checked.not_exact)};
  PT_LET(std::string text, duck::AskText(connection, "SELECT json_deserialize_sql(" +
                                                         Quoted(Dump(checked.tree)) + ")"));
  return RelationSql{std::move(text), std::move(checked.not_exact)};
}

Result<RelationSql> WriteFor(const duck::Connection& connection, const Plan& plan,
                             std::unordered_map<const Node*, std::string> tables,
                             KeyTable key_table) {
  SqlContext context{.dialect = &DuckDbDialect(), .tables = std::move(tables)};
  context.describe = [&](const std::string& select) { return SchemaOf(connection, select); };
  context.check = [&](const Sql& sql) { return ReadSql(sql, connection); };
  context.key_table = std::move(key_table);
  return WriteSql(plan, context);
}

}  // namespace protium
