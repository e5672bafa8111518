// SPDX-License-Identifier: Apache-2.0
// The order of the rules. Each rule of a turn is tried at every node of every text, so its
// `matches` looks at the kind of node first.
#include <algorithm>

#include "sql/rules/rule.h"

namespace protium {

std::span<const Rule> ListRules(RuleTurn turn) {
  // Applied before the children, so that copies are rewritten like everything else, and a NOT moves
  // all the way inward.
  static const Rule kBefore[] = {OrderAliasesRule(), NegationsRule(), LikeAnyRule()};
  // TypedLiteralRule comes before CastRule: 7L is a cast of a cast (DuckNumber). No two of the
  // others match the same node, except for those of a SELECT.
  static const Rule kAfter[] = {
      TypedLiteralRule(), CastRule(),        RenameRule(),         LambdaPairsRule(),
      LambdaPlacesRule(), TimePatternRule(), TrimRule(),           DatePartRule(),
      CountPairsRule(),   LikeRule(),        CollectRule(),        CountIfRule(),
      NamedStructRule(),  StructRule(),      ListConditionsRule(), ReduceRule(),
      ElementRule(),      ColumnNamesRule(), ExtremesRule(),       WindowPercentilesRule()};
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

namespace {

// The first of `rules` that matches. The view refers to the node and is destroyed before `apply`
// replaces it.
std::span<const Rule>::iterator FindRule(std::span<const Rule> rules, const Json& node) {
  const tree::View view(node);
  return std::ranges::find_if(rules, [&](const Rule& rule) { return rule.matches(view); });
}

}  // namespace

Result<bool> ApplyRules(Json& node, RuleTurn turn) {
  const tree::Kind kind = tree::FindKind(node);
  if (kind == tree::Kind::kOther) return false;
  bool changed = false;
  auto rules = ListRules(turn);
  while (!rules.empty()) {
    const auto found = FindRule(rules, node);
    if (found == rules.end()) break;
    PT_TRY(found->apply(node));
    changed = true;
    if (kind != tree::Kind::kSelect) break;
    rules = {found + 1, rules.end()};
  }
  return changed;
}

}  // namespace protium
