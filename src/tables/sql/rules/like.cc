// SPDX-License-Identifier: Apache-2.0
// LIKE and ILIKE without ESCAPE: a backslash escapes in Spark, while DuckDB then has no escape.
// Both become calls of our functions, except for LIKE with a constant pattern without a backslash:
// DuckDB's own is faster. With ESCAPE the parser turns them into other functions
// (sql_words/functions/patterns.cc).
#include <algorithm>
#include <string>
#include <string_view>

#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

struct LikeOperator {
  std::string_view sign;  // The operator's name in DuckDB's tree.
  const char* function;
  bool folds_case;
};

constexpr LikeOperator kLikeOperators[] = {{"!~~", "pt_not_like", false},
                                           {"!~~*", "pt_not_ilike", true},
                                           {"~~", "pt_like", false},
                                           {"~~*", "pt_ilike", true}};

const LikeOperator* FindLikeOperator(const tree::View& node) {
  if (!node.Is(tree::Kind::kFunction)) return nullptr;
  const auto* const found = std::ranges::find(kLikeOperators, node.function(), &LikeOperator::sign);
  return found == std::end(kLikeOperators) ? nullptr : found;
}

}  // namespace

Rule LikeRule() {
  return {.name = "like",
          .matches =
              [](const tree::View& node) {
                const LikeOperator* const found = FindLikeOperator(node);
                if (found == nullptr || node.num_arguments() != 2) return false;
                const std::string* const pattern = node.ArgumentText(1);
                const bool plain = pattern != nullptr && pattern->find('\\') == std::string::npos;
                // ILIKE folds case with our pt_lower() on both sides, as Spark's does with Java's.
                return !plain || found->folds_case;
              },
          .apply =
              [](Json& node) {
                const Json& children = node["children"];
                const char* const function = FindLikeOperator(tree::View(node))->function;
                tree::Replace(
                    node,
                    tree::Call(function,
                               Json::array({children[0], children[1], tree::TextConstant("\\")}),
                               node));
                return Status::OK();
              }};
}

}  // namespace protium
