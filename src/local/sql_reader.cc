// SPDX-License-Identifier: Apache-2.0
#include "local/sql_reader.h"

#include "local/inputs.h"
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
                       [&](const std::string& name) { return HasFunction(connection, name); }};
  PT_LET(CheckedTree checked, CheckSql(std::move(tree), sql.text, duck, names));
  // A text that ends its statement by itself cannot stand in parentheses.
  const bool ends = duck.text.find(';') != std::string::npos;
  if (!checked.changed && !ends) {
    return RelationSql{duck.text, std::move(checked.not_exact), {{sql.text, duck, true}}};
  }
  PT_LET(std::string text, duck::AskText(connection, "SELECT json_deserialize_sql(" +
                                                         Quoted(Dump(checked.tree)) + ")"));
  return RelationSql{text, std::move(checked.not_exact), {{sql.text, {text, {}}, false}}};
}

Result<RelationSql> WriteFor(const duck::Connection& connection, const Plan& plan,
                             std::unordered_map<const Node*, KeptRows> tables, KeyTable key_table) {
  SqlContext context{.dialect = &DuckDbDialect(), .tables = std::move(tables)};
  std::vector<WrittenSql> texts;
  context.describe = [&](const std::string& select) -> Result<SchemaPtr> {
    auto schema = SchemaOf(connection, select);
    PT_TRY(PlaceInOriginal(schema.status(), select, texts));
    return schema;
  };
  context.check = [&](const Sql& sql) {
    auto read = ReadSql(sql, connection);
    if (read.ok()) texts.insert(texts.end(), read->texts.begin(), read->texts.end());
    return read;
  };
  context.expected_rows = ExpectedRows;
  context.key_table = std::move(key_table);
  return WriteSql(plan, context);
}

Result<KeptSelect> WriteKept(const duck::Connection& connection, const std::string& select,
                             std::vector<KeptMark> cuts) {
  KeptSelect kept{.text = select, .rows = {.table = {}, .marks = std::move(cuts)}};
  if (kept.rows.marks.empty()) return kept;
  PT_LET(const SchemaPtr schema, SchemaOf(connection, select));
  kept.rows.columns = schema->field_names();
  const Plan rows = MakePlan(Sql{});
  const Plan marked = WithMarks(rows, kept.rows.columns, kept.rows.marks);
  PT_LET(RelationSql sql,
         WriteFor(connection, marked, {{rows.get(), {.table = "(" + select + ")"}}}, nullptr));
  kept.text = std::move(sql.text);
  kept.not_exact = std::move(sql.not_exact);
  return kept;
}

}  // namespace protium
