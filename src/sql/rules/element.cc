// SPDX-License-Identifier: Apache-2.0
// list[i]: positions count from 0 in Spark. struct['field'] stays.
#include "sql/rules/rule.h"
#include "sql/tree.h"

namespace protium {
Rule ElementRule() {
  return {.name = "element",
          .matches =
              [](const tree::View& node) {
                return node.Is(tree::Kind::kOperator) && node.type() == "ARRAY_EXTRACT" &&
                       node.num_arguments() == 2 && node.ArgumentText(1) == nullptr;
              },
          .apply =
              [](Json& node) {
                tree::Replace(node, tree::Call("pt_element", node["children"], node));
                return Status::OK();
              }};
}

}  // namespace protium
