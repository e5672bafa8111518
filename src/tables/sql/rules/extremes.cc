// SPDX-License-Identifier: Apache-2.0
// min() and max() of a whole table: if nothing else is requested, DuckDB answers from the bounds
// that a Parquet file stores for its columns and reads no row. Those bounds exclude NaN, which is
// the greatest of all numbers in both engines, and contain -0.0 for any zero. A condition that
// accepts every value, x IS NOT NULL, makes DuckDB read the rows. Groups are always computed from
// rows.
#include <utility>

#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

bool IsPlainExtreme(const Json& node) {
  const tree::View view(node);
  const auto filter = node.is_object() ? node.find("filter") : node.end();
  return (view.Calls("min") || view.Calls("max")) && view.num_arguments() == 1 &&
         (filter == node.end() || filter->is_null());
}

// Calls `use` with each such call within `node`. Subqueries are separate SELECTs.
template <class Node, class Use>
void ForEachExtreme(Node& node, const Use& use) {
  if (!node.is_structured() || tree::FindKind(node) == tree::Kind::kSubquery) return;
  if (IsPlainExtreme(node)) return use(node);
  for (Node& child : node) ForEachExtreme(child, use);
}

// What a SELECT computes from its rows, or from all of them together.
template <class Node, class Use>
void ForEachExtremeOfSelect(Node& select, const Use& use) {
  for (const char* const part : {"select_list", "having", "modifiers"}) {
    const auto found = select.find(part);
    if (found != select.end()) ForEachExtreme(*found, use);
  }
}

}  // namespace

Rule ExtremesRule() {
  return {.name = "extremes",
          .matches =
              [](const tree::View& node) {
                if (!node.Is(tree::Kind::kSelect)) return false;
                const Json& select = node.json();
                if (!select.value("group_expressions", Json::array()).empty()) return false;
                bool found = false;
                ForEachExtremeOfSelect(select, [&](const Json&) { found = true; });
                return found;
              },
          .apply =
              [](Json& select) {
                ForEachExtremeOfSelect(select, [](Json& call) {
                  Json of = call["children"][0];
                  call["filter"] = tree::Operator("OPERATOR", "OPERATOR_IS_NOT_NULL",
                                                  Json::array({std::move(of)}));
                });
                return Status::OK();
              }};
}

}  // namespace protium
