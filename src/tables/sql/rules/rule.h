// SPDX-License-Identifier: Apache-2.0
// Rules for constructs that mean something else in DuckDB than in Spark, one rule per file. A rule
// finds a node of the parsed tree whose meaning differs, and replaces it with one that means in
// DuckDB what the node means in Spark. Where calling another function is enough, there is a macro
// instead of a rule (sql_words/functions); what depends on types is done later (sql_types).
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
  // Whether the rule applies. Looks only at the node and what is below it.
  bool (*matches)(const tree::View& node);
  // Rewrites the node; called only where the rule matches. A refusal (kUsage, without a position)
  // leaves the node as it was.
  Status (*apply)(Json& node);
};

// When a rule sees a node. In each turn only the first rule that matches is applied; for a SELECT,
// of which rules change different parts, every rule that matches.
enum class RuleTurn {
  kBeforeChildren,
  kAfterChildren,  // What is below is already rewritten: a cast within a cast is found.
  kStatement,      // Only for the outermost SELECT, after everything else.
};

// The rules of a turn, in the order in which they are tried.
std::span<const Rule> ListRules(RuleTurn turn);

// Applies the rules of the turn to `node`; false if none matches. After a refusal, no further rule
// is tried.
Result<bool> ApplyRules(Json& node, RuleTurn turn);

// Returns the name that DatePartRule gives to a part of a date, for any of the names, in lower
// case, that Spark's extract() accepts for it; empty for all other names.
std::string_view FindPartFunction(std::string_view name);

// One per file of the same name.
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
