// SPDX-License-Identifier: Apache-2.0
#include "sql_types/memberships.h"

#include <fmt/format.h>

#include <utility>

#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"

namespace protium {

bool IsSoughtIn(const Json& node) {
  return tree::FindKind(node) == tree::Kind::kSubquery &&
         tree::Text(node, "subquery_type") == "ANY";
}

Json AsExists(const Json& node, bool negated) {
  const bool row = tree::View(node["child"]).Calls("row");
  const Json sought = row ? node["child"]["children"] : Json::array({node["child"]});
  Json names = Json::array(), equal = Json::array();
  for (size_t i = 0; i < sought.size(); ++i) {
    names.push_back(fmt::format("pt_{}", i + 1));
    equal.push_back(tree::Comparison("COMPARE_EQUAL", tree::Take(sought[i]),
                                     tree::ColumnRef(fmt::format("pt_{}", i + 1))));
  }
  Json all = equal.size() == 1 ? Json(equal[0])
                               : tree::Operator("CONJUNCTION", "CONJUNCTION_AND", std::move(equal));
  if (negated) {
    Json yes = tree::Cast(tree::TextConstant("t"), {SqlType::kBoolean});
    all = tree::Operator("OPERATOR", "OPERATOR_COALESCE",
                         Json::array({std::move(all), std::move(yes)}));
  }
  Json select = tree::SelectFrom(Json::array({tree::WholeConstant(1)}), node["subquery"]["node"],
                                 "pt_rows", std::move(names));
  select["where_clause"] = std::move(all);
  Json exists = node;
  exists["subquery_type"] = "EXISTS";
  exists["subquery"]["node"] = std::move(select);
  exists["child"] = nullptr;
  exists["comparison_type"] = "INVALID";
  return exists;
}

void MakeExists(Json& condition) {
  if (IsSoughtIn(condition)) condition = AsExists(condition, /*negated=*/false);
  if (tree::FindKind(condition) == tree::Kind::kSubquery || !condition.is_structured()) return;
  if (tree::Text(condition, "type") == "OPERATOR_NOT" && IsSoughtIn(condition["children"][0])) {
    condition["children"][0] = AsExists(condition["children"][0], /*negated=*/true);
  }
  for (Json& child : condition) MakeExists(child);
}

}  // namespace protium
