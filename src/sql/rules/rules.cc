// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sql/rules/rule.h"

namespace protium {

std::span<const Rule> ListRules(RuleTurn turn) {
  static const Rule kBefore[] = {OrderAliasesRule()};
  // A literal is a cast of a cast: it comes before casts. No other two match the same node.
  static const Rule kAfter[] = {TypedLiteralRule(), CastRule(),           RenameRule(),
                                LambdaPlacesRule(), TimePatternRule(),    TrimRule(),
                                DatePartRule(),     CountPairsRule(),     LikeRule(),
                                CollectRule(),      CountIfRule(),        NamedStructRule(),
                                StructRule(),       ListConditionsRule(), ReduceRule(),
                                ElementRule(),      ColumnNamesRule()};
  static const Rule kStatement[] = {NullColumnsRule()};
  switch (turn) {
    case RuleTurn::kBeforeChildren:
      return kBefore;
    case RuleTurn::kAfterChildren:
      return kAfter;
    case RuleTurn::kStatement:
      return kStatement;
  }
  return {};
}

Result<bool> ApplyRules(Json& node, RuleTurn turn) {
  const Rule* found = nullptr;
  {
    const tree::View view(node);
    if (view.Is(tree::Kind::kOther)) return false;
    const auto rules = ListRules(turn);
    const auto at = std::find_if(rules.begin(), rules.end(),
                                 [&](const Rule& rule) { return rule.matches(view); });
    if (at != rules.end()) found = &*at;
  }
  if (found == nullptr) return false;
  PT_TRY(found->apply(node));
  return true;
}

}  // namespace protium
