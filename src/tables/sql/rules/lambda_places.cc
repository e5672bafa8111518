// SPDX-License-Identifier: Apache-2.0
// transform(list, (x, i) -> ...) and filter(): the position i counts from 0 in Spark and from 1 in
// DuckDB, so 1 is subtracted from it wherever the lambda's body names it.
#include <string>

#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

// Replaces every use of the name `parameter` with itself minus one, except within lambdas that have
// a parameter of that name themselves.
void CountFromZero(Json& node, const Json& parameter) {
  const tree::Kind kind = tree::FindKind(node);
  if (kind == tree::Kind::kColumn && node["column_names"] == parameter) {
    tree::Replace(node, tree::Call("pt_lambda_place", Json::array({node}), node));
    return;
  }
  const bool hides =
      kind == tree::Kind::kLambda && Dump(node["lhs"]).find(Dump(parameter)) != std::string::npos;
  if (hides || !node.is_structured()) return;
  for (Json& child : node) CountFromZero(child, parameter);
}

// The name of the second parameter of a lambda; nullptr if there is none.
const Json* PlaceParameter(const Json& lambda) {
  if (tree::FindKind(lambda) != tree::Kind::kLambda) return nullptr;
  const tree::View parameters(lambda["lhs"]);
  return parameters.num_arguments() == 2 ? &parameters.argument(1)["column_names"] : nullptr;
}

}  // namespace

Rule LambdaPlacesRule() {
  return {
      .name = "lambda places",
      .matches =
          [](const tree::View& node) { return node.Calls("transform") || node.Calls("filter"); },
      .apply =
          [](Json& node) {
            const bool filters = tree::View(node).Calls("filter");
            Json& children = node["children"];
            if (children.size() == 2) {
              const Json* const found = PlaceParameter(children[1]);
              const Json place = found == nullptr ? Json() : *found;
              if (found != nullptr) CountFromZero(children[1]["expr"], place);
            }
            node["function_name"] = filters ? "list_filter" : "list_transform";
            return Status::OK();
          }};
}

}  // namespace protium
