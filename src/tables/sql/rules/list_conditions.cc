// SPDX-License-Identifier: Apache-2.0
// exists(list, x -> ...) and forall(): become the list of the condition's results for each element,
// and whether any or all of it is true. A null among them makes the result null unless another
// element decides it, as in Spark (pt_any_true, pt_all_true).
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
Rule ListConditionsRule() {
  return {.name = "list conditions",
          .matches =
              [](const tree::View& node) { return node.Calls("exists") || node.Calls("forall"); },
          .apply =
              [](Json& node) {
                const bool any = tree::View(node).Calls("exists");
                const Json truths = tree::Call("list_transform", node["children"], Json::object());
                tree::Replace(node, tree::Call(any ? "pt_any_true" : "pt_all_true",
                                               Json::array({truths}), node));
                return Status::OK();
              }};
}

}  // namespace protium
