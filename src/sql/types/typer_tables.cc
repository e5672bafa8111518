// SPDX-License-Identifier: Apache-2.0
// FROM: the columns of tables, joins, VALUES and table functions. Each adds its relation to the
// scope; a relation whose columns are not all known is open, and stops what it might hide from
// being typed.
#include <fmt/format.h>

#include <utility>

#include "base/ascii.h"
#include "sql/tree.h"
#include "sql/tree_parts.h"
#include "sql/types/convert.h"
#include "sql/types/nested_type.h"
#include "sql/types/typer.h"

namespace protium {

using tree::Text;

Status Typer::From(Json& node, Scope& scope) {
  const std::string type = Text(node, "type");
  if (type == "EMPTY" || node.is_null()) return Status::OK();
  if (type == "JOIN") return Join(node, scope);
  Relation made{.open = true};
  if (type == "BASE_TABLE") {
    PT_LET(made, Table(node));
  } else if (type == "SUBQUERY") {
    // A subquery in FROM may name columns of the tables before it (LATERAL).
    PT_LET(made, Query(tree::SubqueryParts(node).query, &scope));
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
  scope.relations.push_back(std::move(made));
  return Status::OK();
}

// DuckDB lets a list name only the first columns.
Status Typer::Rename(const Json& at, const std::string& name, const Json& names,
                     Relation& made) const {
  const size_t given = names.is_array() ? names.size() : 0;
  if (given > 0 && !made.open && given != made.columns.size()) {
    return Refuse(at,
                  fmt::format("{} has {} columns, and the list behind it names {}", name,
                              made.columns.size(), given),
                  "Spark wants as many names as there are columns",
                  fmt::format("name all of them: {}(a, b, ...)", name));
  }
  RenameColumns(names, made.columns);
  return Status::OK();
}

// Names of WITH hide tables. Each table is asked for once in a statement, since the answer takes a
// prepared statement of DuckDB's.
Result<Relation> Typer::Table(const Json& node) {
  const std::string name = Lower(Text(node, "table_name"));
  if (const auto cte = ctes_.find(name); cte != ctes_.end()) return cte->second;
  if (const auto table = tables_.find(name); table != tables_.end()) return table->second;
  PT_LET(tables_[name].columns, source_.columns(name));
  return tables_[name];
}

// VALUES: a column has the type that all its rows have in common. Without names of their own
// columns are called col1, col2, ... in Spark, and col0, col1, ... in DuckDB, which is told
// Spark's.
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

// Table functions. Only the column of range() is known; it is told to be called as in Spark.
Result<Relation> Typer::TableFunction(Json& node, const Scope& scope) {
  Json& call = node["function"];
  PT_LET(const std::vector<SqlType> types, Each(call["children"], scope));
  const std::string name = Lower(Text(call, "function_name"));
  if (name != "range") return Relation{.open = true};
  Json& names = node["column_name_alias"];
  if (!names.is_array() || names.empty()) names = Json::array({"id"});
  // A list of names stands behind an alias alone.
  if (node.value("alias", std::string()).empty()) node["alias"] = name;
  return Relation{.columns = {{"id", {SqlType::kBigint}}}};
}

// Both sides are added to the scope first, since ON and USING may name columns of either.
Status Typer::Join(Json& node, Scope& scope) {
  const tree::SideParts tables(node);
  const size_t left = scope.relations.size();
  PT_TRY(From(tables.left, scope));
  const size_t right = scope.relations.size();
  PT_TRY(From(tables.right, scope));
  // An ON condition sees the two sides of its join, not tables further left.
  Scope sides{.outer = scope.outer};
  sides.relations.assign(scope.relations.begin() + static_cast<std::ptrdiff_t>(left),
                         scope.relations.end());
  // A natural join is one that uses all names that both sides have; the tree itself stays as it is.
  if (Text(node, "ref_type") == "NATURAL") {
    node["using_columns"] = Json::array();
    for (size_t i = 0; i < right - left; ++i) {
      for (const SqlColumn& column : sides.relations[i].columns) {
        for (size_t j = right - left; j < sides.relations.size(); ++j) {
          for (const SqlColumn& other : sides.relations[j].columns) {
            if (Lower(other.name) == Lower(column.name)) {
              node["using_columns"].push_back(column.name);
            }
          }
        }
      }
    }
    PT_TRY(Using(node, scope, right));
    node["using_columns"] = Json::array();
  } else {
    PT_TRY(Using(node, scope, right));
  }
  if (node.contains("condition")) {
    PT_TRY(Condition(node["condition"], sides));
    KeepJoins(node["condition"]);
  }
  const std::string kind = Text(node, "join_type");
  // The right side of such a join is not visible outside it.
  if (kind == "SEMI" || kind == "ANTI") scope.relations.resize(right);
  return Status::OK();
}

// USING compares columns without a place for a cast, so their types have to agree; whole numbers
// compare alike at any width.
Status Typer::Using(const Json& node, Scope& scope, size_t right) {
  for (const Json& name : node.value("using_columns", Json::array())) {
    const std::string lower = Lower(name.get<std::string>());
    Scope before{}, after{};
    before.relations.assign(scope.relations.begin(),
                            scope.relations.begin() + static_cast<std::ptrdiff_t>(right));
    after.relations.assign(scope.relations.begin() + static_cast<std::ptrdiff_t>(right),
                           scope.relations.end());
    const SqlType a = FindColumn(before, Json::array({lower}));
    const SqlType b = FindColumn(after, Json::array({lower}));
    const bool known = a != SqlType::kUnknown && b != SqlType::kUnknown;
    if (HoldsMap(a) || HoldsMap(b)) {
      return Refuse(node, "USING joins by column \"" + lower + "\" of " + a.SparkName(),
                    "Spark does not compare maps",
                    "join ON map_entries(m), or single values m[key]");
    }
    if (known && !(a == b) && !(a.IsWhole() && b.IsWhole())) {
      return Refuse(node,
                    fmt::format("column \"{}\" that USING joins is {} on one side and {} on the "
                                "other",
                                lower, a.SparkName(), b.SparkName()),
                    "engines compare different types in different ways",
                    "join ON with a cast on one side");
    }
    for (size_t i = right; i < scope.relations.size(); ++i) {
      scope.relations[i].merged.push_back(lower);
    }
  }
  return Status::OK();
}

}  // namespace protium
