// SPDX-License-Identifier: Apache-2.0
// Joins: which columns each side sees, and in which order * shows them. Only Spark puts the columns
// by which USING and NATURAL join in front, once.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sql_tree/nested_type.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_tree/tree_view.h"
#include "sql_types/convert.h"
#include "sql_types/memberships.h"
#include "sql_types/typer.h"

namespace protium {
namespace {

using tree::Text;

using Outputs = std::vector<Output>;

Outputs::iterator FindOutput(Outputs::iterator first, Outputs::iterator last,
                             const std::string& lower) {
  return std::find_if(first, last,
                      [&](const Output& output) { return Lower(output.column.name) == lower; });
}

// The names that both sides have, in the order of the left one.
Json SharedNames(Scope& scope, size_t left, size_t right) {
  Json names = Json::array();
  const auto middle = scope.outputs.begin() + static_cast<std::ptrdiff_t>(right);
  for (auto at = scope.outputs.begin() + static_cast<std::ptrdiff_t>(left); at != middle; ++at) {
    const auto found = FindOutput(middle, scope.outputs.end(), Lower(at->column.name));
    if (found != scope.outputs.end()) names.push_back(at->column.name);
  }
  return names;
}

// The column that USING makes of one from each side.
Output JoinedOutput(const Scope& scope, const std::string& kind, const Output& left,
                    const Output& right) {
  Output made = kind == "RIGHT" ? right : left;
  made.joined = ValueOf(scope, made);
  if (kind != "OUTER" && kind != "FULL") return made;
  const auto common = CommonType(left.column.type, right.column.type);
  Json first = ValueOf(scope, left), second = ValueOf(scope, right);
  if (common) {
    Coerce(first, left.column.type, *common);
    Coerce(second, right.column.type, *common);
    made.column.type = *common;
  }
  made.joined = tree::Operator("OPERATOR", "OPERATOR_COALESCE",
                               Json::array({std::move(first), std::move(second)}));
  return made;
}

// Puts a name in front of the keys of all relations from `first` on that have such a column.
void AddKey(Scope& scope, size_t first, const std::string& lower, size_t place) {
  for (size_t i = first; i < scope.relations.size(); ++i) {
    std::vector<std::string>& keys = scope.relations[i].keys;
    std::erase(keys, lower);
    keys.insert(keys.begin() + static_cast<std::ptrdiff_t>(std::min(place, keys.size())), lower);
  }
}

Json True() { return tree::Cast(tree::TextConstant("t"), {SqlType::kBoolean}); }

// Writes cross joins among other joins as inner ones: DuckDB writes a tree's cross joins with
// commas, which it reads after all other joins.
void SpellCrossJoins(Json& table) {
  if (Text(table, "type") != "JOIN") return;
  if (Text(table, "ref_type") == "CROSS") {
    table["ref_type"] = "REGULAR";
    table["condition"] = True();
  }
  SpellCrossJoins(table["left"]);
  SpellCrossJoins(table["right"]);
}

// Names tables that have none, so that each column of * can be named.
void NameTables(Json& table, int& named) {
  if (!table.is_object()) return;
  if (Text(table, "type") == "JOIN") {
    NameTables(table["left"], named);
    NameTables(table["right"], named);
  } else if (Text(table, "alias").empty() && Text(table, "table_name").empty()) {
    table["alias"] = fmt::format("pt_table_{}", ++named);
  }
}

}  // namespace

bool JoinsUsing(const Json& table) {
  if (!table.is_object() || Text(table, "type") != "JOIN") return false;
  const bool uses = !table.value("using_columns", Json::array()).empty();
  return uses || Text(table, "ref_type") == "NATURAL" || JoinsUsing(table["left"]) ||
         JoinsUsing(table["right"]);
}

void Typer::NameAll(Json& tables) { NameTables(tables, named_); }

// Both sides are added to the scope first, since ON and USING may name columns of either.
Status Typer::Join(Json& node, Scope& scope) {
  const tree::SideParts tables(node);
  if (Text(node, "ref_type") != "CROSS") {
    SpellCrossJoins(tables.left);
    SpellCrossJoins(tables.right);
  }
  const JoinPlaces left{scope.relations.size(), scope.outputs.size()};
  PT_TRY(From(tables.left, scope));
  const JoinPlaces right{scope.relations.size(), scope.outputs.size()};
  PT_TRY(From(tables.right, scope));
  PT_TRY(Natural(node, scope, left, right));
  // An ON condition sees the two sides of its join, not tables further left.
  Scope sides{.outer = scope.outer};
  const auto from = [](auto& all, size_t first) {
    return all.begin() + static_cast<std::ptrdiff_t>(first);
  };
  sides.relations.assign(from(scope.relations, left.relation), scope.relations.end());
  sides.outputs.assign(from(scope.outputs, left.output), scope.outputs.end());
  PT_TRY(Using(node, scope, left, right));
  if (node.contains("condition")) {
    within_ = "ON";
    PT_TRY(Condition(node["condition"], sides));
    within_ = "";
    KeepJoins(node["condition"]);
  }
  PT_TRY(ConditionWithin(node, scope));
  const std::string kind = Text(node, "join_type");
  // The right side of such a join is not visible outside it.
  if (kind == "SEMI" || kind == "ANTI") {
    std::erase_if(scope.outputs,
                  [&](const Output& output) { return output.relation >= right.relation; });
    scope.relations.resize(right.relation);
  }
  return Status::OK();
}

// An outer join with a query in its ON condition, which DuckDB does not accept: for each row of the
// other side, joins only those rows of the optional side for which the condition is true.
Status Typer::ConditionWithin(Json& node, Scope& scope) const {
  const std::string kind = Text(node, "join_type");
  const bool full = kind == "OUTER" || kind == "FULL";
  const bool outer = kind == "LEFT" || kind == "RIGHT" || full;
  if (!outer || !node.contains("condition") || !HoldsQuery(node["condition"])) return Status::OK();
  const tree::SideParts tables(node);
  const Json& kept = kind == "LEFT" ? tables.right : tables.left;
  if (full || Text(kept, "type") == "JOIN") {
    return Refuse(node, "an outer join ON a query is not supported by the embedded engine",
                  "it accepts one in LEFT and RIGHT joins with a single table",
                  "compute the query's result in a subquery in FROM, and join ON its column");
  }
  if (kind == "RIGHT") {
    std::swap(tables.left, tables.right);
    node["join_type"] = "LEFT";
    scope.reordered = true;
  }
  // Beside rows of another table, DuckDB loses the columns of IN.
  MakeExists(node["condition"]);
  const std::string alias = Text(tables.right, "alias");
  Json query = tree::SelectFrom(Json::array({tree::Star("")}), Json::object(), "", Json::array());
  query["where_clause"] = std::exchange(node["condition"], True());
  query["from_table"] = tables.right;
  Json around =
      tree::SelectFrom(Json::array(), std::move(query),
                       alias.empty() ? Text(tables.right, "table_name") : alias, Json::array());
  tables.right = Json(around["from_table"]);
  return Status::OK();
}

// A natural join uses all names that both sides have; if there are none, Spark joins all rows with
// all.
Status Typer::Natural(Json& node, Scope& scope, JoinPlaces left, JoinPlaces right) const {
  if (Text(node, "ref_type") != "NATURAL") return Status::OK();
  const std::string kind = Text(node, "join_type");
  if (kind == "SEMI" || kind == "ANTI") {
    return Refuse(node, fmt::format("a natural join of the kind {}", kind),
                  "Spark does not have it", "join USING (a, b)");
  }
  for (size_t i = left.relation; i < scope.relations.size(); ++i) {
    if (!scope.relations[i].open) continue;
    return Refuse(node, "the columns of a natural join are not known before the query runs",
                  "Spark joins by the names that both sides have", "join USING (a, b)");
  }
  node["using_columns"] = SharedNames(scope, left.output, right.output);
  node["ref_type"] = "REGULAR";
  if (node["using_columns"].empty()) {
    node["condition"] = True();
  }
  return Status::OK();
}

// USING compares columns and leaves no room for a cast, so their types must agree; whole numbers
// compare the same at any width.
Status Typer::Using(const Json& node, Scope& scope, JoinPlaces left, JoinPlaces right) {
  const std::string kind = Text(node, "join_type");
  Outputs& outputs = scope.outputs;
  Outputs keys;
  for (const Json& name : node.value("using_columns", Json::array())) {
    const std::string lower = Lower(name.get<std::string>());
    const auto first = outputs.begin() + static_cast<std::ptrdiff_t>(left.output);
    const auto middle = outputs.begin() + static_cast<std::ptrdiff_t>(right.output);
    const auto a = FindOutput(first, middle, lower);
    const auto b = FindOutput(middle, outputs.end(), lower);
    // DuckDB reports names that one side lacks, unless the side is open.
    if (a == middle || b == outputs.end()) continue;
    const SqlType &of_a = a->column.type, &of_b = b->column.type;
    if (HoldsMap(of_a) || HoldsMap(of_b)) {
      return Refuse(node, "USING joins by column \"" + lower + "\" of " + of_a.SparkName(),
                    "Spark does not compare maps",
                    "join ON map_entries(m), or single values m[key]");
    }
    const bool known = !(of_a == SqlType::kUnknown) && !(of_b == SqlType::kUnknown);
    if (known && !(of_a == of_b) && !(of_a.IsWhole() && of_b.IsWhole())) {
      return Refuse(node,
                    fmt::format("column \"{}\" that USING joins is {} on one side and {} on the "
                                "other",
                                lower, of_a.SparkName(), of_b.SparkName()),
                    "engines compare different types in different ways",
                    "join ON with a cast on one side");
    }
    AddKey(scope, left.relation, lower, keys.size());
    keys.push_back(JoinedOutput(scope, kind, *a, *b));
    outputs.erase(b);
    outputs.erase(a);
    --right.output;
  }
  outputs.insert(outputs.begin() + static_cast<std::ptrdiff_t>(left.output),
                 std::make_move_iterator(keys.begin()), std::make_move_iterator(keys.end()));
  return Status::OK();
}

}  // namespace protium
