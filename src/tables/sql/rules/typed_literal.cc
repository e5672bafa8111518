// SPDX-License-Identifier: Apache-2.0
// 7L and 7S, which DuckNumber() (sql_words/literals.h) writes as CAST(CAST('7' AS HUGEINT) AS
// BIGINT). They become calls with the digits as text, from which the typer reads the type and,
// beside a decimal, the number of digits.
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
Rule TypedLiteralRule() {
  return {.name = "typed literal",
          .matches =
              [](const tree::View& node) {
                const Json& cast = node.json();
                if (!node.Is(tree::Kind::kCast) || !cast.contains("child")) return false;
                const Json& inner = cast["child"];
                return tree::FindKind(inner) == tree::Kind::kCast &&
                       tree::Text(inner["cast_type"], "id") == "HUGEINT" &&
                       tree::ConstantText(inner["child"]) != nullptr;
              },
          .apply =
              [](Json& node) {
                const bool wide = tree::Text(node["cast_type"], "id") == "BIGINT";
                tree::Replace(node, tree::Call(wide ? "pt_literal_bigint" : "pt_literal_smallint",
                                               Json::array({node["child"]["child"]}), node));
                return Status::OK();
              }};
}

}  // namespace protium
