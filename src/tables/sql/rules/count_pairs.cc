// SPDX-License-Identifier: Apache-2.0
// count(DISTINCT a, b): DuckDB's count takes one argument. Spark skips rows in which any of them is
// null, so pt_all() makes one row value of them, or NULL.
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
Rule CountPairsRule() {
  return {
      .name = "count pairs",
      .matches =
          [](const tree::View& node) { return node.Calls("count") && node.num_arguments() >= 2; },
      .apply =
          [](Json& node) {
            Json& children = node["children"];
            const Json all = tree::Call("pt_all", children, Json::object());
            children = Json::array({all});
            return Status::OK();
          }};
}

}  // namespace protium
