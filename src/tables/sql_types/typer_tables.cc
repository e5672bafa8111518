// SPDX-License-Identifier: Apache-2.0
// FROM: the columns of tables, joins, VALUES and table functions. Each adds its relation to the
// scope; a relation whose columns are not all known is open, and prevents typing of whatever it
// might hide.
#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "sql_tree/nested_type.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_types/convert.h"
#include "sql_types/select_parts.h"
#include "sql_types/typer.h"
#include "sql_words/generated_names.h"

namespace protium {
namespace {

using tree::Text;

// Unwraps the query behind LATERAL from what SparkReader put around it; false for others.
bool TakeLateral(Json& query) {
  if (!query.contains("from_table")) return false;
  Json& table = query["from_table"];
  if (Text(table, "alias") != kLateralQuery) return false;
  if (Text(table, "type") == "SUBQUERY") query = Json(tree::SubqueryParts(table).query);
  return true;
}

// (SELECT explode(l)), which LATERAL VIEW and a function in FROM become.
bool MakesRows(const Json& query) {
  return query.contains("from_table") && Text(query["from_table"], "type") == "EMPTY" &&
         CountGenerators(query["select_list"]) > 0;
}

}  // namespace

Status Typer::From(Json& node, Scope& scope) {
  std::string type = Text(node, "type");
  if (type == "EMPTY" || node.is_null()) return Status::OK();
  if (type == "JOIN") return Join(node, scope);
  if (type == "PIVOT") {
    PT_TRY(Pivot(node, scope));
    type = Text(node, "type");
  }
  Relation made{.open = true};
  if (type == "BASE_TABLE") {
    PT_LET(made, Table(node));
  } else if (type == "SUBQUERY") {
    PT_LET(made, FromQuery(tree::SubqueryParts(node).query, scope));
  } else if (type == "EXPRESSION_LIST") {
    PT_LET(made, Values(node, scope));
  } else if (type == "TABLE_FUNCTION") {
    PT_LET(made, TableFunction(node, scope));
  }
  const std::string alias = Text(node, "alias");
  made.name = alias.empty() ? Text(node, "table_name") : alias;
  if (node.contains("column_name_alias")) {
    PT_TRY(Rename(node, made.name, node["column_name_alias"], made));
  }
  for (const SqlColumn& column : made.columns) {
    scope.outputs.push_back({column, scope.relations.size()});
  }
  scope.relations.push_back(std::move(made));
  return Status::OK();
}

// A query in FROM may name columns of preceding tables only behind LATERAL.
Result<Relation> Typer::FromQuery(Json& query, Scope& scope) {
  const bool lateral = TakeLateral(query) || MakesRows(query);
  const bool before = std::exchange(scope.hidden, !lateral);
  Result<Relation> made = Query(query, &scope);
  scope.hidden = before;
  return made;
}

// DuckDB also accepts a list that names just the first columns.
Status Typer::Rename(const Json& at, const std::string& name, const Json& names,
                     Relation& made) const {
  const size_t given = names.is_array() ? names.size() : 0;
  if (given > 0 && !made.open && given != made.columns.size()) {
    return Refuse(at,
                  fmt::format("{} has {} columns, but its list of names has {}", name,
                              made.columns.size(), given),
                  "Spark requires as many names as there are columns",
                  fmt::format("name all of them: {}(a, b, ...)", name));
  }
  RenameColumns(names, made.columns);
  return Status::OK();
}

// Names of WITH hide tables. Each table is asked for once per statement, since this takes a
// prepared statement of DuckDB's.
Result<Relation> Typer::Table(const Json& node) {
  const std::string name = Lower(Text(node, "table_name"));
  if (const auto cte = ctes_.find(name); cte != ctes_.end()) {
    read_.insert(name);
    return cte->second;
  }
  if (const auto table = tables_.find(name); table != tables_.end()) return table->second;
  PT_LET(tables_[name].columns, source_.columns(name));
  return tables_[name];
}

// VALUES: a column has the common type of all its rows. Columns without names are called col1,
// col2, ... in Spark, and col0, col1, ... in DuckDB, which is given Spark's names.
Result<Relation> Typer::Values(Json& node, const Scope& scope) {
  Json& rows = node["values"];
  std::vector<std::vector<SqlType>> types;
  for (Json& row : rows) {
    PT_LET(types.emplace_back(), Each(row, scope));
  }
  Relation made;
  for (size_t i = 0; !types.empty() && i < types[0].size(); ++i) {
    std::vector<Json*> cells;
    std::vector<SqlType> column;
    for (size_t row = 0; row < types.size() && i < types[row].size(); ++row) {
      cells.push_back(&rows[row][i]);
      column.push_back(types[row][i]);
    }
    PT_LET(const SqlType type, Unify("a column of VALUES", node, cells, column));
    made.columns.push_back({fmt::format("col{}", i + 1), type});
  }
  Json& names = node["expected_names"];
  if (!names.is_array() || !names.empty()) return made;
  for (const auto& column : made.columns) names.push_back(column.name);
  return made;
}

// Table functions. Only the column of range() is known; it gets the name that it has in Spark.
Result<Relation> Typer::TableFunction(Json& node, const Scope& scope) {
  Json& call = node["function"];
  PT_LET(const std::vector<SqlType> types, Each(call["children"], scope));
  const std::string name = Lower(Text(call, "function_name"));
  if (name != "range") return Relation{.open = true};
  Json& names = node["column_name_alias"];
  if (!names.is_array() || names.empty()) names = Json::array({"id"});
  // A list of names is allowed only behind an alias.
  if (node.value("alias", std::string()).empty()) node["alias"] = name;
  return Relation{.columns = {{"id", {SqlType::kBigint}}}};
}

}  // namespace protium
