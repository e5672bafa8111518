// SPDX-License-Identifier: Apache-2.0
// The parts of a node of DuckDB's parsed tree by name, to be walked and replaced in place. Each
// constructor takes a node of its kind (see tree_view.h); a part that a node omits is null.
// References are valid as long as the node is, and end when it is replaced.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "base/json.h"
#include "sql_tree/tree.h"

namespace protium::tree {

// Missing members become null before a reference to any of them is taken: objects store members in
// a vector, which moves them when it grows.
inline Json& WithMembers(Json& node, std::initializer_list<const char*> keys) {
  for (const char* const key : keys) node[key];
  return node;
}

// Both operands of a comparison, both tables of a join, both queries of a set operation, or the
// first and the repeated query of WITH RECURSIVE.
struct SideParts {
  explicit SideParts(Json& node)
      : left(WithMembers(node, {"left", "right"})["left"]), right(node["right"]) {}
  Json& left;
  Json& right;
};

// input BETWEEN lower AND upper.
struct BetweenParts {
  explicit BetweenParts(Json& node)
      : input(WithMembers(node, {"input", "lower", "upper"})["input"]),
        lower(node["lower"]),
        upper(node["upper"]) {}
  Json& input;
  Json& lower;
  Json& upper;
};

// CASE WHEN when THEN then ... ELSE otherwise END.
struct CaseParts {
  struct Branch {
    Json& when;
    Json& then;
  };
  explicit CaseParts(Json& node)
      : otherwise(WithMembers(node, {"else_expr", "case_checks"})["else_expr"]) {
    for (Json& each : node["case_checks"]) {
      WithMembers(each, {"when_expr", "then_expr"});
      branches.push_back({each["when_expr"], each["then_expr"]});
    }
  }
  std::vector<Branch> branches;
  Json& otherwise;
};

// CAST(child AS type), or TRY_CAST where `tried`.
struct CastParts {
  explicit CastParts(Json& node)
      : child(WithMembers(node, {"child", "cast_type"})["child"]),
        type(node["cast_type"]),
        tried(node.value("try_cast", false)) {}
  Json& child;
  const Json& type;
  bool tried;
};

// A query in brackets, as a table or in an expression; `sought` is the left side of IN, otherwise
// nullptr.
struct SubqueryParts {
  explicit SubqueryParts(Json& node)
      : query(node["subquery"]["node"]),
        sought(node.contains("child") && node["child"].is_object() ? &node["child"] : nullptr) {}
  Json& query;
  Json* sought;
};

struct SelectParts {
  explicit SelectParts(Json& node)
      : list(WithMembers(node, {"select_list", "from_table", "where_clause", "group_expressions",
                                "having", "qualify"})["select_list"]),
        from(node["from_table"]),
        where(node["where_clause"]),
        groups(node["group_expressions"]),
        having(node["having"]),
        qualify(node["qualify"]) {}
  Json& list;
  Json& from;
  Json& where;
  Json& groups;
  Json& having;
  Json& qualify;
};

// WITH key(aliases) AS (query).
struct CteParts {
  explicit CteParts(Json& entry)
      : key(Text(entry, "key")),
        named(WithMembers(entry["value"], {"query", "aliases"})),
        query(named["query"]["node"]),
        aliases(named["aliases"]) {}
  std::string key;
  Json& named;
  Json& query;
  const Json& aliases;
};

// The names that WITH gives to queries in front of this one, in order.
inline std::vector<CteParts> Ctes(Json& query) {
  std::vector<CteParts> ctes;
  if (!query.contains("cte_map") || !query["cte_map"].contains("map")) return ctes;
  for (Json& entry : query["cte_map"]["map"]) ctes.emplace_back(entry);
  return ctes;
}

// The expressions under ORDER BY, for any node that has them under "orders": a modifier of a query,
// a window, what an aggregate is ordered by.
inline std::vector<Json*> Orders(Json& node) {
  std::vector<Json*> expressions;
  if (!node.is_object() || !node.contains("orders")) return expressions;
  for (Json& order : node["orders"]) expressions.push_back(&order["expression"]);
  return expressions;
}

// For a window: the bounds of its frame, the offset of lag() and lead(), and FILTER, if present.
inline std::vector<Json*> FrameParts(Json& window) {
  std::vector<Json*> parts;
  for (const char* const key : {"start_expr", "end_expr", "offset_expr", "filter_expr"}) {
    if (window.contains(key)) parts.push_back(&window[key]);
  }
  return parts;
}

}  // namespace protium::tree
