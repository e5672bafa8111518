// SPDX-License-Identifier: Apache-2.0
// NOT around AND, OR and NOT moves inward where x IN (SELECT ...) is among what it negates: Spark
// moves it before it makes a join of IN, whose answer is true or false and never NULL. So NOT IN is
// false where IN would be NULL, wherever the NOT was written.
#include <utility>

#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

using tree::Text;

// Whether x IN (SELECT ...) is one of the conditions that AND, OR and NOT join.
bool HoldsMembership(const Json& node) {
  if (tree::FindKind(node) == tree::Kind::kSubquery) return Text(node, "subquery_type") == "ANY";
  const std::string& type = Text(node, "type");
  if (type != "OPERATOR_NOT" && !type.starts_with("CONJUNCTION_")) return false;
  for (const Json& child : node["children"]) {
    if (HoldsMembership(child)) return true;
  }
  return false;
}

// The condition, or its opposite, with every NOT as far inward as IN.
Json Push(const Json& condition, bool negated) {
  const std::string& type = Text(condition, "type");
  if (type == "OPERATOR_NOT") return Push(tree::Take(condition["children"][0]), !negated);
  Json pushed = tree::Take(condition);
  if (type.starts_with("CONJUNCTION_") && HoldsMembership(condition)) {
    const bool both = (type == "CONJUNCTION_AND") != negated;
    pushed["type"] = both ? "CONJUNCTION_AND" : "CONJUNCTION_OR";
    for (Json& child : pushed["children"]) child = Push(Json(child), negated);
    return pushed;
  }
  if (!negated) return pushed;
  Json node = tree::Operator("OPERATOR", "OPERATOR_NOT", Json::array({std::move(pushed)}));
  node["query_location"] = condition.value("query_location", Json(tree::kNowhere));
  return node;
}

}  // namespace

Rule NegationsRule() {
  return {.name = "negations",
          .matches =
              [](const tree::View& node) {
                if (!node.Is(tree::Kind::kOperator) || node.type() != "OPERATOR_NOT") return false;
                const Json& negated = node.argument(0);
                return tree::FindKind(negated) != tree::Kind::kSubquery && HoldsMembership(negated);
              },
          .apply =
              [](Json& node) {
                tree::Replace(node, Push(Json(node), /*negated=*/false));
                return Status::OK();
              }};
}

}  // namespace protium
