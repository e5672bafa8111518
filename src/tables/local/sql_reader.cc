// SPDX-License-Identifier: Apache-2.0
#include "local/sql_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "duckdb/query.h"
#include "java/regex.h"
#include "local/inputs.h"
#include "local/questions.h"
#include "local/what_varies.h"
#include "sql/check.h"
#include "sql_tree/names/column_name.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"
#include "sql_types/typer.h"

// ReadSql first rewrites the text for DuckDB's parser (FromSpark), since Spark's grammar has
// different precedences; DuckDB parses it (json_serialize_sql), the room sql checks and types the
// tree, and DuckDB turns the tree back into text (json_deserialize_sql) if anything in it changed.

namespace protium {
namespace {

std::string Quoted(const std::string& text) { return QuoteText(text, DuckDbDialect()); }

// Including our macros and functions.
bool HasFunction(const duck::Connection& connection, const std::string& name) {
  const auto answer = duck::AskText(
      connection,
      "SELECT CAST(count(*) AS VARCHAR) FROM duckdb_functions() WHERE function_name = " +
          Quoted(name));
  return answer.ok() && *answer != "0";
}

std::string StructName(duckdb_logical_type type);

// The type's name in DuckDB's SQL; empty for a type that no rule knows.
std::string DuckTypeName(duckdb_logical_type type) {
  switch (duckdb_get_type_id(type)) {
    case DUCKDB_TYPE_BOOLEAN:
      return "BOOLEAN";
    case DUCKDB_TYPE_TINYINT:
      return "TINYINT";
    case DUCKDB_TYPE_SMALLINT:
      return "SMALLINT";
    case DUCKDB_TYPE_INTEGER:
      return "INTEGER";
    case DUCKDB_TYPE_BIGINT:
      return "BIGINT";
    case DUCKDB_TYPE_HUGEINT:
      return "HUGEINT";
    case DUCKDB_TYPE_FLOAT:
      return "FLOAT";
    case DUCKDB_TYPE_DOUBLE:
      return "DOUBLE";
    case DUCKDB_TYPE_VARCHAR:
      return "VARCHAR";
    case DUCKDB_TYPE_DATE:
      return "DATE";
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return "TIMESTAMP";
    case DUCKDB_TYPE_TIMESTAMP_TZ:  // The zone is UTC.
      return "TIMESTAMP WITH TIME ZONE";
    case DUCKDB_TYPE_INTERVAL:
      return "INTERVAL";
    case DUCKDB_TYPE_DECIMAL:
      return fmt::format("DECIMAL({},{})", duckdb_decimal_width(type), duckdb_decimal_scale(type));
    case DUCKDB_TYPE_LIST: {
      const duck::Type child(duckdb_list_type_child_type(type));
      const std::string element = DuckTypeName(child.get());
      return element.empty() ? "" : element + "[]";
    }
    case DUCKDB_TYPE_MAP: {
      const duck::Type key(duckdb_map_type_key_type(type));
      const duck::Type value(duckdb_map_type_value_type(type));
      const std::string of_key = DuckTypeName(key.get()), of_value = DuckTypeName(value.get());
      return of_key.empty() || of_value.empty() ? "" : "MAP(" + of_key + ", " + of_value + ")";
    }
    case DUCKDB_TYPE_STRUCT:
      return StructName(type);
    case DUCKDB_TYPE_SQLNULL:
      return "\"NULL\"";
    default:
      return "";
  }
}

std::string FieldName(duckdb_logical_type type, idx_t field) {
  const std::unique_ptr<char, decltype(&duckdb_free)> name(
      duckdb_struct_type_child_name(type, field), &duckdb_free);
  return name == nullptr ? "" : name.get();
}

// Empty if a field has no name, as in the result of row(1, 2), or no type that rules know.
std::string StructName(duckdb_logical_type type) {
  std::string list;
  for (idx_t i = 0; i < duckdb_struct_type_child_count(type); ++i) {
    const duck::Type child(duckdb_struct_type_child_type(type, i));
    const std::string field = FieldName(type, i), of_field = DuckTypeName(child.get());
    if (field.empty() || of_field.empty()) return "";
    list += (list.empty() ? "" : ", ") + QuoteName(field, DuckDbDialect()) + " " + of_field;
  }
  return "STRUCT(" + list + ")";
}

Result<std::vector<SqlColumn>> DescribeColumns(const duck::Connection& connection,
                                               const std::string& select) {
  PT_LET(const duck::Prepared prepared, duck::Prepare(connection, select));
  std::vector<SqlColumn> columns;
  for (const duck::Column& column : duck::DescribeColumns(prepared)) {
    columns.push_back({column.name, SqlType::FromDuck(DuckTypeName(column.type.get()))});
  }
  return columns;
}

Result<std::vector<SqlColumn>> TableColumns(const duck::Connection& connection, const Sql& sql,
                                            const std::vector<std::string>& inputs,
                                            const std::string& table) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (Lower(sql.names[i]) == Lower(table)) return DescribeColumns(connection, inputs[i]);
  }
  return Status::KeyError("no table ", table);
}

// DuckDB looks only at those names of WITH that some query reads; Spark at all of them. Each of the
// others is checked here with a statement that is prepared and not run.
Status CheckUnread(const duck::Connection& connection, const Sql& sql,
                   const std::vector<std::string>& inputs, const std::vector<std::string>& unread,
                   Json tree) {
  std::string tables;
  for (size_t i = 0; i < inputs.size(); ++i) {
    tables += (i == 0 ? "WITH " : ", ") + QuoteName(sql.names[i], DuckDbDialect()) + " AS (" +
              inputs[i] + ")";
  }
  Json& query = tree["statements"][0]["node"];
  const Json names = query["cte_map"];
  for (const std::string& name : unread) {
    Json table = {{"type", "BASE_TABLE"},
                  {"alias", ""},
                  {"sample", nullptr},
                  {"query_location", tree::kNowhere},
                  {"schema_name", ""},
                  {"table_name", name},
                  {"catalog_name", ""},
                  {"at_clause", nullptr},
                  {"column_name_alias", Json::array()}};
    query = tree::SelectFrom(Json::array({tree::Star("")}), Json::object(), "", Json::array());
    query["from_table"] = std::move(table);
    query["cte_map"] = names;
    PT_LET(const std::string text,
           duck::AskText(connection, "SELECT json_deserialize_sql(" + Quoted(Dump(tree)) + ")"));
    PT_TRY(duck::Prepare(connection, tables + " SELECT * FROM (" + text + ")").status());
  }
  return Status::OK();
}

// Rules of the room sql depend on types: columns come from the inputs, and DuckDB finds an
// expression's type by preparing a SELECT of it. A type that DuckDB cannot name is "".
Result<TypedStatement> TypeTree(const duck::Connection& connection, const Sql& sql,
                                const std::vector<std::string>& inputs, const DuckText& duck,
                                Json& tree) {
  const TypeSource source{
      .columns =
          [&](const std::string& table) { return TableColumns(connection, sql, inputs, table); },
      .type = [&](const std::string& select) -> std::string {
        const auto prepared = duck::Prepare(connection, select);
        if (!prepared.ok()) return "";
        const auto columns = duck::DescribeColumns(*prepared);
        return columns.size() == 1 ? DuckTypeName(columns[0].type.get()) : "";
      },
      .place = [&](const Json& node) { return DescribePlace(node, sql.text, duck); },
      .text = [&](const Json& node) -> std::string_view {
        const auto place = tree::View(node).place();
        if (!place || *place >= duck.text.size()) return {};
        return std::string_view(sql.text).substr(std::min(duck.Origin(*place), sql.text.size()));
      }};
  PT_LET(TypedStatement typed, TypeStatement(tree, source));
  DropColumns(tree);
  return typed;
}

}  // namespace

Result<RelationSql> ReadSql(const Sql& sql, const std::vector<std::string>& inputs,
                            const duck::Connection& connection) {
  PT_LET(const DuckText duck, FromSpark(sql.text));
  PT_LET(const std::string parsed,
         duck::AskText(connection, "SELECT json_serialize_sql(" + Quoted(duck.text) + ")"));
  Json tree = Json::parse(parsed, nullptr, /*allow_exceptions=*/false);
  const SqlNames names{sql.names,
                       [&](const std::string& name) { return HasFunction(connection, name); },
                       [](const std::string& pattern) { return Regex::Compile(pattern).status(); },
                       sql.without_ties};
  KeepColumns(tree);
  PT_LET(CheckedTree checked, CheckSql(std::move(tree), sql.text, duck, names));
  Json before = checked.tree;
  DropColumns(before);
  PT_LET(const TypedStatement typed, TypeTree(connection, sql, inputs, duck, checked.tree));
  PT_TRY(CheckUnread(connection, sql, inputs, typed.unread, checked.tree));
  std::vector<std::string> varies = WhatVaries(checked.not_exact, typed);
  // A text with a semicolon cannot be put in parentheses, so it is written again from the tree.
  const bool ends = duck.text.find(';') != std::string::npos;
  if (!checked.changed && !ends && checked.tree == before) {
    return RelationSql{
        duck.text, std::move(checked.not_exact), {{sql.text, duck, true}}, std::move(varies)};
  }
  PT_LET(std::string text, duck::AskText(connection, "SELECT json_deserialize_sql(" +
                                                         Quoted(Dump(checked.tree)) + ")"));
  return RelationSql{
      text, std::move(checked.not_exact), {{sql.text, {text, {}}, false}}, std::move(varies)};
}

Result<RelationSql> WriteFor(Questions& questions, const Plan& plan,
                             std::unordered_map<const Node*, KeptRows> tables, KeyTable key_table) {
  SqlContext context{.dialect = &DuckDbDialect(), .tables = std::move(tables)};
  std::vector<WrittenSql> texts;
  context.describe = [&](const std::string& select) -> Result<SchemaPtr> {
    auto schema = questions.Schema(select);
    PT_TRY(PlaceInOriginal(schema.status(), select, texts));
    return schema;
  };
  context.check = [&](const Sql& sql, const std::vector<std::string>& inputs) {
    auto read = questions.Read(sql, inputs);
    if (read.ok()) texts.insert(texts.end(), read->texts.begin(), read->texts.end());
    return read;
  };
  context.expected_rows = ExpectedRows;
  context.key_table = std::move(key_table);
  return WriteSql(plan, context);
}

Result<KeptSelect> WriteKept(Questions& questions, const std::string& select,
                             std::vector<KeptMark> cuts) {
  KeptSelect kept{.text = select, .rows = {.table = {}, .marks = std::move(cuts)}};
  if (kept.rows.marks.empty()) return kept;
  PT_LET(const SchemaPtr schema, questions.Schema(select));
  kept.rows.columns = schema->field_names();
  const Plan rows = MakePlan(Sql{});
  const Plan marked = WithMarks(rows, kept.rows.columns, kept.rows.marks);
  PT_LET(RelationSql sql,
         WriteFor(questions, marked, {{rows.get(), {.table = "(" + select + ")"}}}, nullptr));
  kept.text = std::move(sql.text);
  kept.not_exact = std::move(sql.not_exact);
  return kept;
}

}  // namespace protium
