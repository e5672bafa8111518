// SPDX-License-Identifier: Apache-2.0
// NOT around AND, OR and NOT moves inward if x IN (SELECT ...) is among what it negates: Spark
// moves it before it makes a join of IN, whose result is true or false and never NULL. So NOT IN is
// false where IN would be NULL, wherever the NOT was written. A comparison of such a condition with
// true or false is that condition or its opposite.
#include <optional>
#include <utility>

#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

using tree::Text;

// The condition of a comparison with TRUE or FALSE, and whether its opposite is meant.
struct Compared {
  const Json* condition;
  bool negated;
};

// DuckDB's parser makes TRUE and FALSE casts of 't' and 'f'.
std::optional<bool> TruthValue(const Json& node) {
  if (tree::FindKind(node) != tree::Kind::kCast) return std::nullopt;
  const std::string* const text = tree::ConstantText(node["child"]);
  const bool known = text != nullptr && (*text == "t" || *text == "f");
  if (!known || Text(node["cast_type"], "id") != "BOOLEAN") return std::nullopt;
  return *text == "t";
}

std::optional<Compared> ComparedWithTruth(const Json& node) {
  const std::string& type = Text(node, "type");
  if (type != "COMPARE_EQUAL" && type != "COMPARE_NOTEQUAL") return std::nullopt;
  const Json &left = node["left"], &right = node["right"];
  const std::optional<bool> first = TruthValue(left), second = TruthValue(right);
  if (first.has_value() == second.has_value()) return std::nullopt;
  return Compared{first ? &right : &left,
                  first.value_or(second.value_or(true)) != (type == "COMPARE_EQUAL")};
}

// Whether x IN (SELECT ...) is one of the conditions that AND, OR, NOT and a comparison with TRUE
// or FALSE are made of.
bool HoldsMembership(const Json& node) {
  if (tree::FindKind(node) == tree::Kind::kSubquery) return Text(node, "subquery_type") == "ANY";
  if (const auto compared = ComparedWithTruth(node)) return HoldsMembership(*compared->condition);
  const std::string& type = Text(node, "type");
  if (type != "OPERATOR_NOT" && !type.starts_with("CONJUNCTION_")) return false;
  for (const Json& child : node["children"]) {
    if (HoldsMembership(child)) return true;
  }
  return false;
}

// The condition, or its opposite, with every NOT moved as far inward as IN.
Json Push(const Json& condition, bool negated) {
  const std::string& type = Text(condition, "type");
  if (type == "OPERATOR_NOT") return Push(tree::Take(condition["children"][0]), !negated);
  if (const auto compared = ComparedWithTruth(condition); compared && HoldsMembership(condition)) {
    return Push(tree::Take(*compared->condition), negated != compared->negated);
  }
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

bool IsNegated(const tree::View& node) {
  if (!node.Is(tree::Kind::kOperator) || node.type() != "OPERATOR_NOT") return false;
  const Json& negated = node.argument(0);
  return tree::FindKind(negated) != tree::Kind::kSubquery && HoldsMembership(negated);
}

}  // namespace

Rule NegationsRule() {
  return {.name = "negations",
          .matches =
              [](const tree::View& node) {
                return IsNegated(node) ||
                       (node.Is(tree::Kind::kComparison) && HoldsMembership(node.json()));
              },
          .apply =
              [](Json& node) {
                tree::Replace(node, Push(Json(node), /*negated=*/false));
                return Status::OK();
              }};
}

}  // namespace protium
