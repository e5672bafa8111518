// SPDX-License-Identifier: Apache-2.0
// What the same words of SQL mean otherwise in DuckDB than in Spark, one rule a file: the rule
// finds a node of the parsed tree that is meant, and puts one in its place that means in DuckDB
// what the node means in Spark. Functions that another function stands for are no rules but macros
// (sql/functions); what depends on types is done afterwards (sql/types).
#pragma once

#include <span>
#include <string_view>

#include "base/json.h"
#include "base/status.h"
#include "sql/tree_view.h"

namespace protium {

struct Rule {
  std::string_view name;  // For tests.
  // Whether the rule has something to do at a node. Looks at it alone and what is below it.
  bool (*matches)(const tree::View& node);
  // Does it. A refusal (kUsage, without a place) leaves the node as it was.
  Status (*apply)(Json& node);
};

// When a node's turn comes. At every node the first rule that matches is applied, and no other.
enum class RuleTurn {
  kBeforeChildren,
  kAfterChildren,  // So that a cast within a cast is found.
  kStatement,      // The outermost SELECT alone, when all is done.
};

std::span<const Rule> ListRules(RuleTurn turn);

// Applies what there is to apply at `node`; whether anything was.
Result<bool> ApplyRules(Json& node, RuleTurn turn);

// One a file, named as the rule.
Rule CastRule();
Rule CollectRule();
Rule ColumnNamesRule();
Rule CountIfRule();
Rule CountPairsRule();
Rule DatePartRule();
Rule ElementRule();
Rule LambdaPlacesRule();
Rule LikeRule();
Rule ListConditionsRule();
Rule NamedStructRule();
Rule NullColumnsRule();
Rule OrderAliasesRule();
Rule ReduceRule();
Rule RenameRule();
Rule StructRule();
Rule TimePatternRule();
Rule TrimRule();
Rule TypedLiteralRule();

}  // namespace protium
