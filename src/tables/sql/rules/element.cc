// SPDX-License-Identifier: Apache-2.0
// list[i]: positions count from 0 in Spark and from 1 in DuckDB, and one out of range is an error
// in Spark and NULL in DuckDB. A constant text in the brackets names a field of a struct or a key
// of a map, which is the same in both.
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

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
