// SPDX-License-Identifier: Apache-2.0
#include "sql/types/calls.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/depth.h"
#include "sql/tree.h"
#include "sql/tree_parts.h"
#include "sql/tree_view.h"
#include "sql/types/convert.h"

// How a call is typed: its arguments first (lambdas with their parameters in scope), then FILTER
// and ORDER BY, then the rule that its name has in the table below, or its row in sql/functions. A
// rule casts arguments, may replace the node, and returns the type that the result has from then
// on.

namespace protium {
namespace {

struct NamedRule {
  std::string_view name;
  CallRule rule;
};

// Sorted by name, for a binary search.
constexpr NamedRule kRules[] = {
    {"%", TypeProduct},
    {"&", TypeBits},
    {"*", TypeProduct},
    {"+", TypeSum},
    {"-", TypeSum},
    {"/", TypeProduct},
    {"//", TypeDivision},
    {"<<", TypeBits},
    {">>", TypeBits},
    {"^", TypeBits},
    {"abs", TypeSum},
    {"avg", TypeMean},
    {"bround", TypeRounded},
    {"ceil", TypeWhole},
    {"ceiling", TypeWhole},
    {"concat", TypeJoinedText},
    {"concat_ws", TypeJoinedText},
    {"explode", TypeNested},
    {"explode_outer", TypeNested},
    {"floor", TypeWhole},
    {"greatest", TypeChoice},
    {"if", TypeChoice},
    {"iff", TypeChoice},
    {"ifnull", TypeChoice},
    {"inline", TypeNested},
    {"inline_outer", TypeNested},
    {"least", TypeChoice},
    {"list_value", TypeArray},
    {"mean", TypeMean},
    {"mod", TypeProduct},
    {"nanvl", TypeChoice},
    {"negative", TypeSum},
    {"nullif", TypeNullIf},
    {"nvl", TypeChoice},
    {"nvl2", TypeChoice},
    {"pmod", TypeProduct},
    {"posexplode", TypeNested},
    {"posexplode_outer", TypeNested},
    {"positive", TypeSum},
    {"pt_element", TypeElement},
    {"pt_literal_bigint", TypeLiteral},
    {"pt_literal_smallint", TypeLiteral},
    {"pt_to_bigint", TypeCastCall},
    {"pt_to_boolean", TypeCastCall},
    {"pt_to_date", TypeCastCall},
    {"pt_to_double", TypeCastCall},
    {"pt_to_float", TypeCastCall},
    {"pt_to_integer", TypeCastCall},
    {"pt_to_smallint", TypeCastCall},
    {"pt_to_text", TypeCastCall},
    {"pt_to_timestamp", TypeCastCall},
    {"pt_to_tinyint", TypeCastCall},
    {"pt_try_bigint", TypeCastCall},
    {"pt_try_boolean", TypeCastCall},
    {"pt_try_date", TypeCastCall},
    {"pt_try_double", TypeCastCall},
    {"pt_try_float", TypeCastCall},
    {"pt_try_integer", TypeCastCall},
    {"pt_try_smallint", TypeCastCall},
    {"pt_try_timestamp", TypeCastCall},
    {"pt_try_tinyint", TypeCastCall},
    {"reverse", TypeReversed},
    {"round", TypeRounded},
    {"sequence", TypeSequence},
    {"shiftleft", TypeBits},
    {"shiftright", TypeBits},
    {"stack", TypeNested},
    {"sum", TypeTotal},
    {"try_add", TypeTried},
    {"try_divide", TypeProduct},
    {"try_mod", TypeTried},
    {"try_multiply", TypeTried},
    {"try_subtract", TypeTried},
    {"typeof", TypeTypeOf},
    {"|", TypeBits},
    {"||", TypeJoinedText},
    {"~", TypeBits},
};

// The names of a lambda's parameters. DuckDB's tree has a column for a single one, and a call with
// columns as its arguments for several.
std::vector<std::string> ListParameters(const Json& lhs) {
  if (tree::FindKind(lhs) == tree::Kind::kFunction) {
    std::vector<std::string> names;
    for (const Json& child : lhs["children"]) names.push_back(ListParameters(child).front());
    return names;
  }
  const Json& names = lhs["column_names"];
  return {names.empty() || !names.back().is_string() ? "" : names.back().get<std::string>()};
}

// Writes a constant interval of months so that it is no constant, with a CASE whose branches are
// equal. DuckDB merges equal constants, and finds one month equal to 30 days.
Json BesideRows(Json months, const Json& ordered) {
  Json null = tree::Operator("OPERATOR", "OPERATOR_IS_NULL", Json::array({tree::Take(ordered)}));
  Json otherwise = months;
  return tree::Case(std::move(null), std::move(months), std::move(otherwise));
}

}  // namespace

CallRule FindCallRule(std::string_view name) {
  const auto found = std::lower_bound(
      std::begin(kRules), std::end(kRules), name,
      [](const NamedRule& rule, std::string_view wanted) { return rule.name < wanted; });
  return found != std::end(kRules) && found->name == name ? found->rule : nullptr;
}

void TypedCall::CoerceTo(size_t i, const SqlType& type) {
  Coerce(argument(i), types[i], type);
  types[i] = type;
}

void TypedCall::CoerceAll(const SqlType& type, size_t first) {
  for (size_t i = first; i < types.size(); ++i) CoerceTo(i, type);
}

void TypedCall::CastResult(const SqlType& type) {
  tree::Replace(node, tree::Cast(tree::Take(node), type));
}

Status TypedCall::Refuse(std::string what, std::string why, std::string fix) const {
  return typer.Refuse(node, std::move(what), std::move(why), std::move(fix));
}

// A lambda's first parameter is an element of the list before it; the second one is its position.
Result<std::vector<SqlType>> Typer::Arguments(Json& node, const Scope& scope) {
  std::vector<SqlType> types;
  for (Json& child : node["children"]) {
    if (tree::FindKind(child) != tree::Kind::kLambda) {
      PT_LET(types.emplace_back(), Expression(child, scope));
      continue;
    }
    Scope inner{.aliases_first = true, .outer = &scope};
    const SqlType element = types.empty() ? SqlType{} : types[0].Element();
    for (const std::string& name : ListParameters(child["lhs"])) {
      inner.aliases.push_back({name, inner.aliases.empty() ? element : SqlType{}});
    }
    PT_LET(types.emplace_back(), Expression(child["expr"], inner));
  }
  return types;
}

// An aggregate's FILTER and ORDER BY see the same names as its arguments.
Result<SqlType> Typer::Function(Json& node, const Scope& scope) {
  PT_LET(std::vector<SqlType> types, Arguments(node, scope));
  if (node.contains("filter")) PT_TRY(Condition(node["filter"], scope));
  if (node.contains("order_bys")) {
    for (Json* const order : tree::Orders(node["order_bys"])) PT_TRY(Expression(*order, scope));
  }
  TypedCall call{*this, node, Lower(tree::Text(node, "function_name")), std::move(types)};
  // Rules come before signatures: a function with both depends on more than fixed types.
  const CallRule rule = FindCallRule(call.name);
  return rule == nullptr ? TypeBySignature(call) : rule(call);
}

// A window may be of any aggregate, so the same rules serve: they change the name and the arguments
// and leave the window as it is.
Result<SqlType> Typer::Window(Json& node, const Scope& scope) {
  const std::string name = Lower(tree::Text(node, "function_name"));
  if (node.value("distinct", false)) {
    return Refuse(node, name + "(DISTINCT ...) OVER is not supported by Spark",
                  "Spark's windows do not take DISTINCT",
                  "compute it in a query of its own and join the result");
  }
  const Deeper deeper(in_windows_);
  PT_LET(std::vector<SqlType> types, Arguments(node, scope));
  PT_LET(const std::vector<SqlType> partitions, Each(node["partitions"], scope));
  for (size_t i = 0; i < partitions.size(); ++i) {
    MergeZeros(node["partitions"][i], partitions[i]);
  }
  const std::vector<Json*> orders = tree::Orders(node);
  for (Json* const order : orders) {
    PT_LET(const SqlType type, Expression(*order, scope));
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
  TypedCall call{*this, node, name, std::move(types)};
  const CallRule rule = FindCallRule(name);
  return rule == nullptr ? TypeBySignature(call) : rule(call);
}

// The answer depends on the argument types alone, so each SELECT is prepared once.
SqlType Typer::AskType(const std::string& function, const std::vector<SqlType>& types) {
  std::string list;
  for (const SqlType& type : types) {
    if (type == SqlType::kUnknown) return {};
    // DuckDB resolves an overload by types alone, so nulls of these types are enough.
    const std::string cast = "CAST(NULL AS " + type.DuckName() + ")";
    list += (list.empty() ? "" : ", ") + (type == SqlType::kNull ? "NULL" : cast);
  }
  const std::string select = "SELECT \"" + function + "\"(" + list + ")";
  const auto [found, added] = asked_.try_emplace(select);
  if (added) found->second = SqlType::FromDuck(source_.type(select));
  return found->second;
}

}  // namespace protium
