// SPDX-License-Identifier: Apache-2.0
// How a call is typed: its arguments first (lambdas with their parameters in scope), then FILTER
// and ORDER BY, then by the rule for its name, or its row in sql_words/functions. A rule casts
// arguments, may replace the node, and returns the type that the result has from then on.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/depth.h"
#include "base/text.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_tree/tree_view.h"
#include "sql_types/calls.h"
#include "sql_types/convert.h"
#include "sql_types/typer.h"

namespace protium {
namespace {

// Writes a constant interval of months as a non-constant, with a CASE whose branches are equal.
// DuckDB merges equal constants, and considers one month equal to 30 days.
Json BesideRows(Json months, const Json& ordered) {
  Json null = tree::Operator("OPERATOR", "OPERATOR_IS_NULL", Json::array({tree::Take(ordered)}));
  Json otherwise = months;
  return tree::Case(std::move(null), std::move(months), std::move(otherwise));
}

bool ReadsColumns(const Json& node) {
  if (tree::FindKind(node) == tree::Kind::kColumn) return true;
  return node.is_structured() && std::ranges::any_of(node, ReadsColumns);
}

// DuckDB computes an aggregate's argument for all rows, including those that FILTER excludes, where
// it may fail: CAST(x AS INT) becomes CASE WHEN filter THEN CAST(x AS INT) END.
void KeepFiltered(Json& call, const Json& filter) {
  if (!filter.is_object()) return;
  for (Json& argument : call["children"]) {
    if (!ReadsColumns(argument)) continue;
    Json condition = tree::Take(filter), value = tree::Take(argument);
    tree::Replace(argument,
                  tree::Case(std::move(condition), std::move(value), tree::NullConstant()));
  }
}

// DuckDB takes FILTER of an aggregate alone, and not of a macro over one (sql/duckdb/macros).
struct MacroOf {
  std::string_view spark;
  const char* aggregate;
};
constexpr MacroOf kMacros[] = {
    {"every", "bool_and"},      {"max_by", "arg_max_null"},      {"mean", "avg"},
    {"min_by", "arg_min_null"}, {"percentile", "quantile_cont"}, {"some", "bool_or"}};

void NameAggregate(Json& call, const std::string& name) {
  const auto* const found = std::ranges::find(kMacros, name, &MacroOf::spark);
  if (found != std::end(kMacros)) call["function_name"] = found->aggregate;
}

// The name of the column that is added up, also one that is cast first; "x" for all else.
std::string SummedColumn(const Json& call) {
  const Json* at = &call;
  while (at->is_object()) {
    const tree::Kind kind = tree::FindKind(*at);
    if (kind == tree::Kind::kColumn) return at->at("column_names").back().get<std::string>();
    const auto children = at->find(kind == tree::Kind::kCast ? "child" : "children");
    if (children == at->end()) break;
    if (children->is_array() && children->size() != 1) break;
    at = children->is_array() ? &children->front() : &*children;
  }
  return "x";
}

}  // namespace

// percentile_cont() and percentile_disc() take their values from the ORDER BY of WITHIN GROUP, as
// doubles; DuckDB would retain their type, and round decimals to its digits.
Status Typer::TakePercentiles(const Json& node, Json& order, const SqlType& type) const {
  const std::string name = Lower(tree::Text(node, "function_name"));
  if (!name.starts_with("quantile_") || type == SqlType::kUnknown) return Status::OK();
  if (type.IsNumber() || type == SqlType::kText || type == SqlType::kNull) {
    Coerce(order, type, {SqlType::kDouble});
    return Status::OK();
  }
  return Refuse(order, "a percentile is taken of " + type.SparkName(),
                "the embedded engine takes percentiles only of numbers", "cast it to a number");
}

// An aggregate's FILTER and ORDER BY see the same names as its arguments.
Result<SqlType> Typer::Function(Json& node, const Scope& scope) {
  PT_LET(std::vector<SqlType> types, Arguments(node, scope));
  if (node.contains("filter")) {
    PT_TRY(Condition(node["filter"], scope));
    KeepFiltered(node, node["filter"]);
  }
  if (node.contains("order_bys")) {
    for (Json* const order : tree::Orders(node["order_bys"])) {
      PT_LET(const SqlType type, OrderExpression(*order, scope));
      PT_TRY(TakePercentiles(node, *order, type));
    }
  }
  TypedCall call{*this, node, Lower(tree::Text(node, "function_name")), std::move(types)};
  if (node.contains("filter") && node["filter"].is_object()) NameAggregate(node, call.name);
  // Rules come before signatures: a function with both depends on more than fixed types.
  const CallRule rule = FindCallRule(call.name);
  return rule == nullptr ? TypeBySignature(call) : rule(call);
}

// A window may use any aggregate, so the same rules apply: they change the name and the arguments
// and leave the window as it is.
Result<SqlType> Typer::Window(Json& node, const Scope& scope) {
  const std::string name = Lower(tree::Text(node, "function_name"));
  // CollectRule makes list(DISTINCT x) of collect_set(x).
  if (node.value("distinct", false) && name != "list") {
    return Refuse(node, name + "(DISTINCT ...) OVER is not supported by Spark",
                  "Spark's windows do not take DISTINCT",
                  "compute it in a query of its own and join the result");
  }
  const Deeper deeper(in_windows_);
  PT_LET(std::vector<SqlType> types, Arguments(node, scope));
  for (Json& partition : node["partitions"]) {
    PT_LET(const SqlType type, Expression(partition, scope));
    PT_TRY(RequireOrder(partition, type));
    MergeZeros(partition, type);
  }
  const std::vector<Json*> orders = tree::Orders(node);
  for (Json* const order : orders) {
    PT_LET(const SqlType type, OrderExpression(*order, scope));
    MergeZeros(*order, type);
  }
  for (Json* const part : tree::FrameParts(node)) {
    PT_LET(const SqlType type, Expression(*part, scope));
    if (type == SqlType::kMonths && !orders.empty()) {
      *part = BesideRows(tree::Take(*part), *orders[0]);
    }
  }
  // The value that lag() and lead() return beyond the window has the type of their column.
  if (node.contains("default_expr") && node["default_expr"].is_object() && !types.empty()) {
    PT_LET(const SqlType other, Expression(node["default_expr"], scope));
    Coerce(node["default_expr"], other, types[0]);
  }
  if (node.contains("filter_expr")) KeepFiltered(node, node["filter_expr"]);
  TypedCall call{*this, node, name, std::move(types)};
  const CallRule rule = FindCallRule(name);
  return rule == nullptr ? TypeBySignature(call) : rule(call);
}

void Typer::NoteDoubles(const Json& call, const std::string& name) {
  const std::string of = SummedColumn(call);
  doubles_.push_back(fmt::format(
      "{}, {}({}): the last digits of a sum of doubles depend on the order in which threads add; "
      "write {}(CAST({} AS DECIMAL(18, 4))), with as many digits as you need",
      source_.place(call), name, of, name, of));
}

SqlType Typer::TypeNamed(const std::string& duck_name) {
  return SqlType::FromDuck(source_.type("SELECT CAST(NULL AS " + duck_name + ")"));
}

// The result depends on the argument types alone, so each SELECT is prepared once.
SqlType Typer::AskType(const std::string& function, const std::vector<SqlType>& types) {
  std::string list, names;
  for (const SqlType& type : types) {
    if (type == SqlType::kUnknown) return {};
    // DuckDB resolves an overload by types alone, so nulls of these types are enough.
    const std::string cast = "CAST(NULL AS " + type.DuckName() + ")";
    list += (list.empty() ? "" : ", ") + (type == SqlType::kNull ? "NULL" : cast);
    names += fmt::format("{}a{}", names.empty() ? "" : ", ", names.size());
  }
  const std::string constant = "SELECT \"" + function + "\"(" + list + ")";
  const auto [found, added] = asked_.try_emplace(constant);
  if (!added) return found->second;
  // DuckDB makes an INTEGER of a constant NULL in many functions of lists and maps. Some others
  // accept only constants.
  std::string answer;
  if (!types.empty()) {
    answer = source_.type(
        fmt::format("SELECT \"{}\"({}) FROM (SELECT {}) AS t({})", function, names, list, names));
  }
  found->second = SqlType::FromDuck(answer.empty() ? source_.type(constant) : answer);
  return found->second;
}

}  // namespace protium
