// SPDX-License-Identifier: Apache-2.0
// struct(a, 1, b AS c) becomes struct_pack(a := a, col2 := 1, c := b): Spark names a field by its
// column, by its alias, or by its position from 1.
#include <string>
#include <utility>

#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
Rule StructRule() {
  return {.name = "struct",
          .matches = [](const tree::View& node) { return node.Calls("struct"); },
          .apply =
              [](Json& node) {
                Json fields = node["children"];
                for (size_t i = 0; i < fields.size(); ++i) {
                  // Named in the text: SparkReader wrote b AS c as c := b.
                  if (!tree::Text(fields[i], "alias").empty()) continue;
                  const bool column = tree::FindKind(fields[i]) == tree::Kind::kColumn;
                  fields[i]["alias"] = column ? fields[i]["column_names"].back().get<std::string>()
                                              : "col" + std::to_string(i + 1);
                }
                tree::Replace(node, tree::Call("struct_pack", std::move(fields), node));
                return Status::OK();
              }};
}

}  // namespace protium
