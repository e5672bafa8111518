// SPDX-License-Identifier: Apache-2.0
// struct(a, 1) has the fields a and col2.
#include <string>
#include <utility>

#include "sql/rules/rule.h"
#include "sql/tree.h"

namespace protium {
Rule StructRule() {
  return {.name = "struct",
          .matches = [](const tree::View& node) { return node.Calls("struct"); },
          .apply =
              [](Json& node) {
                Json fields = node["children"];
                for (size_t i = 0; i < fields.size(); ++i) {
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
