// SPDX-License-Identifier: Apache-2.0
// collect_list(), collect_set() and array_agg() skip nulls and return an empty list if nothing is
// left; DuckDB's list() includes nulls and returns NULL. They become list(x) FILTER (x IS NOT NULL)
// inside a coalesce, so that DISTINCT, ORDER BY, OVER and their own FILTER stay with the aggregate.
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
Rule CollectRule() {
  return {.name = "collect",
          .matches =
              [](const tree::View& node) {
                const std::string& name = node.function();
                return (node.Is(tree::Kind::kFunction) || node.Is(tree::Kind::kWindow)) &&
                       (name == "collect_list" || name == "collect_set" || name == "array_agg") &&
                       node.num_arguments() > 0;
              },
          .apply =
              [](Json& node) {
                Json list = tree::Take(node);
                // array_agg() and collect_list() may have DISTINCT themselves.
                const tree::View view(node);
                if (view.function() == "collect_set") list["distinct"] = true;
                list["function_name"] = "list";
                const Json there = tree::Operator("OPERATOR", "OPERATOR_IS_NOT_NULL",
                                                  Json::array({node["children"][0]}));
                // With OVER, DuckDB stores the filter under another key.
                const char* const key = view.Is(tree::Kind::kWindow) ? "filter_expr" : "filter";
                const Json filter = node.value(key, Json());
                list[key] = filter.is_null() ? there
                                             : tree::Operator("CONJUNCTION", "CONJUNCTION_AND",
                                                              Json::array({filter, there}));
                tree::Replace(node, tree::Call("pt_or_empty", Json::array({list}), node));
                return Status::OK();
              }};
}

}  // namespace protium
