// SPDX-License-Identifier: Apache-2.0
// aggregate(list, start, (sum, x) -> ..., sum -> ...) becomes list_reduce(list, lambda, start).
// DuckDB has no final step: it is run over a list of the single result.
#include <utility>

#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
Rule ReduceRule() {
  return {.name = "reduce",
          .matches =
              [](const tree::View& node) {
                return (node.Calls("aggregate") || node.Calls("reduce")) &&
                       (node.num_arguments() == 3 || node.num_arguments() == 4);
              },
          .apply =
              [](Json& node) {
                const Json children = node["children"];
                Json made = tree::Call("list_reduce",
                                       // DuckDB takes the start last.
                                       Json::array({children[0], children[2], children[1]}), node);
                if (children.size() == 4) {
                  const Json one = tree::Call("list_value", Json::array({made}), Json::object());
                  const Json done =
                      tree::Call("list_transform", Json::array({one, children[3]}), Json::object());
                  made = tree::Call("list_first", Json::array({done}), node);
                }
                tree::Replace(node, std::move(made));
                return Status::OK();
              }};
}

}  // namespace protium
