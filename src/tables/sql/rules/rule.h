// SPDX-License-Identifier: Apache-2.0
// Rules for constructs that mean something else in DuckDB than in Spark, one rule a file: a rule
// finds a node of the parsed tree whose meaning differs, and replaces it by one that means in
// DuckDB what the node means in Spark. Functions for which another function can be called are no
// rules but macros (sql_words/functions); what depends on types is done afterwards (sql_types).
#pragma once

#include <span>
#include <string_view>

#include "base/json.h"
#include "base/status.h"
#include "sql_tree/tree_view.h"

namespace protium {

// One rule. Rules keep no state.
struct Rule {
  std::string_view name;  // For rules_test.cc.
  // Whether the rule applies. Looks at the node and below it, at nothing around it.
  bool (*matches)(const tree::View& node);
  // Rewrites the node; called only where the rule matches. A refusal (kUsage, without a place)
  // leaves the node as it was.
  Status (*apply)(Json& node);
};

// When a rule sees a node. In each turn the first rule that matches is applied, and no other; to a
// SELECT, of which rules change different parts, each that matches.
enum class RuleTurn {
  kBeforeChildren,
  kAfterChildren,  // What is below is rewritten: a cast within a cast is found.
  kStatement,      // The outermost SELECT alone, after everything else.
};

// The rules of a turn, in the order in which they are tried.
std::span<const Rule> ListRules(RuleTurn turn);

// Applies the rules of the turn to `node`; false if none matches. After a refusal no other is
// tried.
Result<bool> ApplyRules(Json& node, RuleTurn turn);

// The name that DatePartRule gives to a part of a date that Spark's extract() takes, for any of the
// names that Spark has for it, in lower case; empty for all others.
std::string_view FindPartFunction(std::string_view name);

// One a file of the same name.
Rule CastRule();
Rule CollectRule();
Rule ColumnNamesRule();
Rule CountIfRule();
Rule CountPairsRule();
Rule DatePartRule();
Rule ElementRule();
Rule ExtremesRule();
Rule LambdaPairsRule();
Rule LambdaPlacesRule();
Rule LikeAnyRule();
Rule LikeRule();
Rule ListConditionsRule();
Rule NamedStructRule();
Rule NegationsRule();
Rule NullColumnsRule();
Rule OrderAliasesRule();
Rule ReduceRule();
Rule RenameRule();
Rule StructRule();
Rule TimePatternRule();
Rule TrimRule();
Rule TypedLiteralRule();
Rule WindowPercentilesRule();

}  // namespace protium
