// SPDX-License-Identifier: Apache-2.0
#include "sql_types/select_parts.h"

#include <algorithm>

#include "base/text.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_tree/tree_view.h"
#include "sql_types/nested_values.h"
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using tree::Text;

constexpr std::string_view kGeneratorCalls[] = {"explode",          "explode_outer", "inline",
                                                "inline_outer",     "json_tuple",    "posexplode",
                                                "posexplode_outer", "stack"};

template <class Is>
bool Holds(const Json& node, const Is& is) {
  const tree::Kind kind = tree::FindKind(node);
  if (kind == tree::Kind::kSubquery || kind == tree::Kind::kSelect) return false;
  if (is(node, kind)) return true;
  if (!node.is_structured()) return false;
  return std::any_of(node.begin(), node.end(), [&](const Json& child) { return Holds(child, is); });
}

bool IsAggregate(const Json& node) {
  const std::string name = Lower(Text(node, "function_name"));
  const auto rows = functions::Aggregates();
  return name == "list" || std::any_of(rows.begin(), rows.end(), [&](const SqlFunction& row) {
           return row.known.name == name;
         });
}

// A copy of a node without names and positions.
Json Stripped(Json node) {
  if (node.is_object()) {
    if (node.contains("alias")) node["alias"] = "";
    if (node.contains("query_location")) node["query_location"] = 0;
  }
  if (node.is_structured()) {
    for (Json& child : node) child = Stripped(std::move(child));
  }
  return node;
}

}  // namespace

bool IsSame(const Json& a, const Json& b) {
  return Text(a, "type") == Text(b, "type") && Stripped(a) == Stripped(b);
}

bool IsGenerator(const Json& node) {
  if (tree::FindKind(node) != tree::Kind::kFunction) return false;
  return std::ranges::find(kGeneratorCalls, tree::View(node).function()) !=
         std::end(kGeneratorCalls);
}

int CountGenerators(const Json& list) {
  return static_cast<int>(std::count_if(list.begin(), list.end(), IsGenerator));
}

bool HoldsWindow(const Json& node) {
  return Holds(node, [](const Json&, tree::Kind kind) { return kind == tree::Kind::kWindow; });
}

bool HoldsQuery(const Json& node) {
  if (!node.is_structured()) return false;
  if (node.is_object() && tree::FindKind(node) == tree::Kind::kSubquery) return true;
  return std::any_of(node.begin(), node.end(), HoldsQuery);
}

bool HoldsAggregate(const Json& node) {
  return Holds(node, [](const Json& each, tree::Kind kind) {
    return kind == tree::Kind::kFunction && IsAggregate(each);
  });
}

std::set<uint64_t> FindPlaces(const Json& node) {
  std::set<uint64_t> places;
  if (!node.is_structured()) return places;
  if (const auto place = node.is_object() ? tree::View(node).place() : std::nullopt) {
    places.insert(*place);
  }
  for (const Json& child : node) places.merge(FindPlaces(child));
  return places;
}

std::string ResultName(const Json& column) {
  const std::string alias = Text(column, "alias");
  if (!alias.empty() || tree::FindKind(column) != tree::Kind::kColumn) return alias;
  const Json& names = column["column_names"];
  return names.empty() || !names.back().is_string() ? "" : names.back().get<std::string>();
}

bool AnyReal(const std::vector<SqlColumn>& columns) {
  return std::any_of(columns.begin(), columns.end(),
                     [](const SqlColumn& column) { return HoldsReal(column.type); });
}

bool IsDistinct(const Json& select) {
  const Json modifiers = select.value("modifiers", Json::array());
  return std::any_of(modifiers.begin(), modifiers.end(), [](const Json& modifier) {
    return Text(modifier, "type") == "DISTINCT_MODIFIER" &&
           modifier.value("distinct_on_targets", Json::array()).empty();
  });
}

void DropEmptyTotals(Json& select) {
  const Json& sets = select["group_sets"];
  const bool total =
      std::any_of(sets.begin(), sets.end(), [](const Json& set) { return set.empty(); });
  if (!total || (sets.size() < 2 && select["group_expressions"].empty())) return;
  Json rows = tree::Comparison("COMPARE_GREATERTHAN",
                               tree::Call("count_star", Json::array(), Json::object()),
                               tree::WholeConstant(0));
  Json& having = select["having"];
  having = having.is_null() ? std::move(rows)
                            : tree::Operator("CONJUNCTION", "CONJUNCTION_AND",
                                             Json::array({having, std::move(rows)}));
}

}  // namespace protium
