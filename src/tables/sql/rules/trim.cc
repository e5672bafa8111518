// SPDX-License-Identifier: Apache-2.0
// trim(letters, text) takes its letters first in Spark, as do ltrim() and rtrim(), and last in
// DuckDB. DuckDB's parser reads TRIM(letters FROM text) as a call with the text first, which must
// stay; only the positions of the two arguments in the text distinguish the forms: swapped
// positions mean FROM.
#include <utility>

#include "base/fault.h"
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
Rule TrimRule() {
  return {.name = "trim",
          .matches =
              [](const tree::View& node) {
                const bool trims = node.Calls("trim") || node.Calls("ltrim") || node.Calls("rtrim");
                if (!trims || node.num_arguments() != 2) return false;
                const auto first = tree::View(node.argument(0)).place();
                const auto second = tree::View(node.argument(1)).place();
                return !first || !second || *first <= *second;
              },
          .apply =
              [](Json& node) {
                Json& children = node["children"];
                // Nodes that earlier rules built have no position.
                if (!tree::View(children[0]).place() || !tree::View(children[1]).place()) {
                  return Fail({.exit = Exit::kUsage,
                               .what = "the order of the arguments of \"" +
                                       tree::View(node).function() + "\" is ambiguous",
                               .why = "Spark takes the letters first, the embedded engine last",
                               .fix = "use btrim(text, letters)"});
                }
                std::swap(children[0], children[1]);
                return Status::OK();
              }};
}

}  // namespace protium
