// SPDX-License-Identifier: Apache-2.0
// grouping() and grouping_id(), which Spark accepts only with several sets of columns; and the
// names that ORDER BY may use.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_tree/tree_view.h"
#include "sql_types/select_parts.h"
#include "sql_types/typer.h"
#include "sql_words/generated_names.h"

namespace protium {
namespace {

using tree::Text;

// Calls `use` with every grouping() and grouping_id() within a node, until it refuses one.
template <class Use>
Status ForEachGrouping(Json& node, const Use& use) {
  const tree::Kind kind = tree::FindKind(node);
  if (!node.is_structured() || kind == tree::Kind::kSubquery) return Status::OK();
  if (Text(node, "type") == "GROUPING_FUNCTION") return use(node);
  for (Json& child : node) PT_TRY(ForEachGrouping(child, use));
  return Status::OK();
}

// The name of a column without its table's name; empty for everything else.
std::string PlainName(const Json& node) {
  if (tree::FindKind(node) != tree::Kind::kColumn || node["column_names"].size() != 1) return "";
  return Lower(node["column_names"][0].get<std::string>());
}

bool IsShown(const Json& names, const std::vector<SqlColumn>& shown) {
  return std::ranges::any_of(names, [&](const Json& name) {
    const std::string lower = Lower(name.get<std::string>());
    return std::ranges::any_of(
        shown, [&](const SqlColumn& column) { return Lower(column.name) == lower; });
  });
}

}  // namespace

// grouping_id() has all columns of GROUP BY, in order.
Status Typer::Groupings(Json& select) const {
  const tree::SelectParts parts(select);
  const bool several = select["group_sets"].size() > 1;
  const auto check = [&](Json& call) {
    if (!several) {
      return Refuse(call, "grouping() is used with one set of columns",
                    "Spark takes it only beside ROLLUP, CUBE and GROUPING SETS", "leave it out");
    }
    Json columns = call["children"];
    const bool marked = PlainName(columns.back()) == kAllGroups;
    if (marked) columns.erase(columns.size() - 1);
    if (!marked && columns.size() == 1) return Status::OK();
    if (columns.empty()) columns = parts.groups;
    bool same = columns.size() == parts.groups.size();
    for (size_t i = 0; same && i < columns.size(); ++i) same = IsSame(columns[i], parts.groups[i]);
    if (!same) {
      return Refuse(call, "grouping_id() is given other columns than GROUP BY",
                    "Spark takes all of them, in their order", "use grouping_id()");
    }
    if (columns.size() == 1) columns.push_back(tree::ColumnRef(std::string(kAllGroups)));
    call["children"] = std::move(columns);
    return Status::OK();
  };
  for (Json* const part : {&parts.list, &parts.having, &parts.qualify, &select["modifiers"]}) {
    PT_TRY(ForEachGrouping(*part, check));
  }
  return Status::OK();
}

// DuckDB also sorts a SELECT DISTINCT by columns that it does not show.
Status Typer::CheckDistinctOrder(const Json& order, const Json& select,
                                 const Relation& made) const {
  const tree::Kind kind = tree::FindKind(order);
  const bool own_names = kind == tree::Kind::kSubquery || kind == tree::Kind::kLambda;
  const auto list = select.find("select_list");
  if (!order.is_structured() || own_names || made.open || list == select.end()) {
    return Status::OK();
  }
  if (kind != tree::Kind::kColumn) {
    for (const Json& child : order) PT_TRY(CheckDistinctOrder(child, select, made));
    return Status::OK();
  }
  const auto place = tree::View(order).place();
  if (IsShown(order["column_names"], made.columns)) return Status::OK();
  // OrderAliasesRule copied it.
  if (!place || FindPlaces(*list).contains(*place)) return Status::OK();
  const std::string name = order["column_names"].back().get<std::string>();
  return Refuse(order, fmt::format("SELECT DISTINCT does not show \"{}\", which sorts it", name),
                "Spark sorts it by what it shows", "add the column to the select list");
}

// If several columns have the name, DuckDB takes the first.
Status Typer::CheckOrderName(const Json& order, const Json& select, const Relation& made) const {
  const std::string name = PlainName(order);
  const auto list = select.find("select_list");
  if (name.empty() || list == select.end() || list->size() != made.columns.size()) {
    return Status::OK();
  }
  const Json* first = nullptr;
  for (size_t i = 0; i < made.columns.size(); ++i) {
    if (Lower(made.columns[i].name) != name) continue;
    if (first != nullptr && !IsSame(*first, (*list)[i])) {
      return Refuse(order, fmt::format("the select list names several columns \"{}\"", name),
                    "Spark does not choose one of them", "give the columns different names");
    }
    first = &(*list)[i];
  }
  return Status::OK();
}

}  // namespace protium
