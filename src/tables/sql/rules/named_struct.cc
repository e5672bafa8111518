// SPDX-License-Identifier: Apache-2.0
// named_struct('a', 1, 'b', 2) becomes struct_pack(a := 1, b := 2): DuckDB takes names of fields
// from the names of arguments, so they must be constants.
#include <string>
#include <utility>

#include "base/fault.h"
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
Rule NamedStructRule() {
  return {.name = "named struct",
          .matches = [](const tree::View& node) { return node.Calls("named_struct"); },
          .apply =
              [](Json& node) {
                const Json& children = node["children"];
                Json fields = Json::array();

                // Names and values alternate.
                for (size_t i = 0; i + 1 < children.size(); i += 2) {
                  const std::string* const name = tree::ConstantText(children[i]);
                  if (name == nullptr) {
                    return Fail({.exit = Exit::kUsage,
                                 .what = "a name in named_struct is not a literal",
                                 .why = "the type of a column must be known before the query runs",
                                 .fix = "write the names as text literals"});
                  }
                  fields.push_back(children[i + 1]);
                  fields.back()["alias"] = *name;
                }
                tree::Replace(node, tree::Call("struct_pack", std::move(fields), node));
                return Status::OK();
              }};
}

}  // namespace protium
