// SPDX-License-Identifier: Apache-2.0
// Names the columns of a select list as the query spells them: SELECT Carrier names its column
// "Carrier" in Spark and as the table spells it in DuckDB.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

// The name as which a column without an alias is written, if it has capitals; nullptr for one in
// lower case and for everything else.
const std::string* WrittenName(const Json& column) {
  if (tree::FindKind(column) != tree::Kind::kColumn || !tree::Text(column, "alias").empty()) {
    return nullptr;
  }
  const Json& names = column["column_names"];
  if (names.empty() || !names.back().is_string()) return nullptr;
  const auto& name = names.back().get_ref<const std::string&>();
  return name == Lower(name) ? nullptr : &name;
}

}  // namespace

Rule ColumnNamesRule() {
  return {.name = "column names",
          .matches =
              [](const tree::View& node) {
                if (!node.Is(tree::Kind::kSelect) || !node.json().contains("select_list")) {
                  return false;
                }
                const Json& list = node.json()["select_list"];
                return std::any_of(list.begin(), list.end(), WrittenName);
              },
          .apply =
              [](Json& node) {
                for (Json& column : node["select_list"]) {
                  const std::string* const name = WrittenName(column);
                  if (name != nullptr) column["alias"] = std::string(*name);
                }
                return Status::OK();
              }};
}

}  // namespace protium
