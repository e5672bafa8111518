// SPDX-License-Identifier: Apache-2.0
// count_if(c) becomes count(nullif(c, false)): it counts true values, and returns 0 if there are
// none. As a plain count it also accepts DISTINCT, FILTER and OVER.
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
Rule CountIfRule() {
  return {.name = "count if",
          .matches =
              [](const tree::View& node) {
                return node.Calls("count_if") && node.num_arguments() == 1;
              },
          .apply =
              [](Json& node) {
                node["function_name"] = "count";
                Json& children = node["children"];
                children = Json::array(
                    {tree::Call("nullif", Json::array({children[0], tree::BooleanConstant(false)}),
                                Json::object())});
                return Status::OK();
              }};
}

}  // namespace protium
