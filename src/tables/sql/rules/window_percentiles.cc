// SPDX-License-Identifier: Apache-2.0
// percentile_cont(p) WITHIN GROUP (ORDER BY x) OVER (...): for groups, DuckDB's parser makes
// quantile_cont(x, p); for windows, it leaves a function that DuckDB lacks.
#include <utility>

#include "base/fault.h"
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

bool IsPercentile(const tree::View& node) {
  return node.function() == "percentile_cont" || node.function() == "percentile_disc";
}

}  // namespace

Rule WindowPercentilesRule() {
  return {.name = "window percentiles",
          .matches =
              [](const tree::View& node) {
                return node.Is(tree::Kind::kWindow) && IsPercentile(node) &&
                       node.json().value("arg_orders", Json::array()).size() == 1;
              },
          .apply =
              [](Json& node) {
                Json order = std::move(node["arg_orders"][0]);
                node["arg_orders"] = Json::array();
                if (tree::Text(order, "type") == "DESCENDING") {
                  return Fail({.exit = Exit::kUsage,
                               .what = "a percentile over a window is counted downwards",
                               .why = "the embedded engine counts upwards there",
                               .fix = "leave DESC out, and write 1 - p for p"});
                }
                const bool smooth = tree::View(node).function() == "percentile_cont";
                node["function_name"] = smooth ? "quantile_cont" : "quantile_disc";
                node["children"].insert(node["children"].begin(), std::move(order["expression"]));
                return Status::OK();
              }};
}

}  // namespace protium
