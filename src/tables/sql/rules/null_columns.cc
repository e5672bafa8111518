// SPDX-License-Identifier: Apache-2.0
// A bare NULL as a column of the statement has no type that a table could carry; DuckDB would make
// it an INTEGER. Here it becomes a text.
#include <algorithm>

#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

bool IsBareNull(const Json& column) {
  return tree::IsConstant(column) && column["value"].value("is_null", false);
}

}  // namespace

Rule NullColumnsRule() {
  return {.name = "null columns",
          .matches =
              [](const tree::View& node) {
                if (!node.Is(tree::Kind::kSelect) || !node.json().contains("select_list")) {
                  return false;
                }
                const Json& list = node.json()["select_list"];
                return std::any_of(list.begin(), list.end(), IsBareNull);
              },
          .apply =
              [](Json& node) {
                for (Json& column : node["select_list"]) {
                  if (!IsBareNull(column)) continue;
                  tree::Replace(
                      column, tree::Call("pt_to_text", Json::array({tree::Take(column)}), column));
                }
                return Status::OK();
              }};
}

}  // namespace protium
