// SPDX-License-Identifier: Apache-2.0
// Functions that return one of their arguments, casts called by name, and concatenation.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_types/calls.h"
#include "sql_types/convert.h"
#include "sql_types/nested_values.h"
#include "sql_types/select_parts.h"

namespace protium {
namespace {

const SqlType kText{SqlType::kText};

bool AnyText(const std::vector<SqlType>& types) {
  return std::find(types.begin(), types.end(), kText) != types.end();
}

bool AllText(const std::vector<SqlType>& types) {
  return std::all_of(types.begin(), types.end(), [](const SqlType& type) {
    return type == kText || type == SqlType::kNull || type == SqlType::kUnknown;
  });
}

struct CastName {
  std::string_view name;
  SqlType::Kind kind;
};

constexpr CastName kCasts[] = {{"bigint", SqlType::kBigint},
                               {"boolean", SqlType::kBoolean},
                               {"date", SqlType::kDate},
                               {"double", SqlType::kDouble},
                               {"float", SqlType::kFloat},
                               {"integer", SqlType::kInt},
                               {"local_timestamp", SqlType::kTimestamp},
                               {"smallint", SqlType::kSmallint},
                               {"text", SqlType::kText},
                               {"timestamp", SqlType::kTimestamp},
                               {"tinyint", SqlType::kTinyint}};

}  // namespace

// if(), nvl() and the like, greatest() and least(): choose one of several values, which all get one
// type.
Result<SqlType> TypeChoice(TypedCall& call) {
  const size_t first = call.name == "if" || call.name == "iff" || call.name == "nvl2" ? 1 : 0;
  if (call.types.size() <= first) return SqlType{};
  const std::vector<SqlType> types(call.types.begin() + static_cast<std::ptrdiff_t>(first),
                                   call.types.end());
  // Spark casts text for a choice, but not for greatest() and least().
  const bool ordered = call.name == "greatest" || call.name == "least";
  if (ordered && AnyText(types) && !AllText(types)) {
    return call.Refuse(call.name + "() is given text and other types",
                       "Spark compares only values of one type", "cast them to one type");
  }
  std::vector<Json*> nodes;
  for (size_t i = first; i < call.types.size(); ++i) nodes.push_back(&call.argument(i));
  PT_LET(const SqlType common, call.typer.Unify(call.name, call.node, nodes, types));
  if (ordered && common.IsNested()) {
    PT_TRY(call.typer.RequireOrder(call.node, common));
    Json list = tree::Call("list_value", call.node["children"], call.node);
    tree::Replace(call.node, Extreme(std::move(list), common, call.name == "greatest"));
  }
  return common;
}

// nullif(a, b): NULL where they are equal, otherwise a in its own type. DuckDB would return the
// type in which they are compared, so the call becomes a CASE.
Result<SqlType> TypeNullIf(TypedCall& call) {
  if (call.types.size() != 2 || call.types[0] == call.types[1]) {
    return call.types.empty() ? SqlType{} : call.types[0];
  }
  const SqlType type = call.types[0];
  Json kept = tree::Take(call.argument(0));
  Json equal = tree::Comparison("COMPARE_EQUAL", kept, tree::Take(call.argument(1)));
  const tree::SideParts sides(equal);
  PT_TRY(call.typer.Unify("nullif", call.node, {&sides.left, &sides.right}, call.types));
  tree::Replace(call.node, tree::Case(std::move(equal), tree::NullConstant(), std::move(kept)));
  return type;
}

// pt_to_bigint(x), as CastRule writes CAST(x AS BIGINT): if the type of x is known and its cast can
// be spelt, that cast replaces the call, which looks at typeof(x).
Result<SqlType> TypeCastCall(TypedCall& call) {
  const bool tried = call.name.starts_with("pt_try_");
  const std::string_view name = std::string_view(call.name).substr(tried ? 7 : 6);
  const auto* const found = std::find_if(std::begin(kCasts), std::end(kCasts),
                                         [&](const CastName& cast) { return cast.name == name; });
  if (found == std::end(kCasts)) return SqlType{};
  const SqlType to = name == "timestamp"         ? SqlType::ZonedTime()
                     : name == "local_timestamp" ? SqlType::LocalTime()
                                                 : SqlType{found->kind};
  if (call.types.size() != 1 || call.types[0] == SqlType::kUnknown) return to;
  const SqlType from = call.types[0];
  if (!CanCast(from, to)) return call.typer.RefuseCast(call.node, from, to);
  const bool times = from == SqlType::kTimestamp && to.IsNumber();
  const bool spelt = to == kText || (to.IsWhole() && (from.IsNumber() || from.IsInterval())) ||
                     (to.IsReal() && from == SqlType::kDecimal) || times ||
                     (to == SqlType::kTimestamp && from.IsNumber());
  const bool known = from != SqlType::kOther || from.IsNested();
  if (spelt && known) {
    tree::Replace(call.node, Converted(tree::Take(call.argument(0)), from, to, tried));
  }
  return to;
}

// 7L or 7S: the macro of that name casts the digits.
Result<SqlType> TypeLiteral(TypedCall& call) {
  return SqlType{call.name == "pt_literal_bigint" ? SqlType::kBigint : SqlType::kSmallint};
}

// typeof(x) becomes a constant with Spark's name of the type.
Result<SqlType> TypeTypeOf(TypedCall& call) {
  if (call.types.size() != 1 || call.types[0] == SqlType::kUnknown) {
    return call.Refuse("the type that typeof() is asked for is not known before the query runs",
                       "types have other names in the embedded engine", "");
  }
  Json name = tree::TextConstant(call.types[0].SparkName());
  // An aggregate must stay, because it makes one row of all.
  if (HoldsAggregate(call.argument(0))) {
    Json null =
        tree::Operator("OPERATOR", "OPERATOR_IS_NULL", Json::array({tree::Take(call.argument(0))}));
    name = tree::Case(std::move(null), name, name);
  }
  tree::Replace(call.node, std::move(name));
  return kText;
}

// array(a, b, ...), whose elements all get one type.
Result<SqlType> TypeArray(TypedCall& call) {
  std::vector<Json*> nodes;
  for (size_t i = 0; i < call.types.size(); ++i) nodes.push_back(&call.argument(i));
  PT_LET(const SqlType element, call.typer.Unify("an array", call.node, nodes, call.types));
  return SqlType::ListOf(element);
}

// concat() and || of lists: all of one type, and NULL if any is NULL.
Result<SqlType> TypeJoinedLists(TypedCall& call) {
  std::vector<Json*> nodes;
  for (size_t i = 0; i < call.types.size(); ++i) {
    if (!call.types[i].IsList() && call.types[i] != SqlType::kUnknown) {
      return call.Refuse(call.name + "() is given " + call.types[0].SparkName() + " and " +
                             call.types[i].SparkName(),
                         "Spark joins lists with lists alone", "write array(x) for a single value");
    }
    nodes.push_back(&call.argument(i));
  }
  PT_LET(const SqlType list, call.typer.Unify(call.name, call.node, nodes, call.types));
  // DuckDB takes a constant NULL for an INTEGER.
  if (list != SqlType::kUnknown) call.CastResult(list);
  return list;
}

namespace {

// The type of || or concat(); if one argument is a text, all are written as texts.
Result<SqlType> TypeParts(TypedCall& call) {
  if (call.types.empty()) return kText;
  if (call.types[0].IsNested()) return TypeJoinedLists(call);
  const bool others = std::any_of(call.types.begin(), call.types.end(),
                                  [](const SqlType& type) { return type == SqlType::kOther; });
  if (others) return call.types[0];
  if (const auto bytes = JoinBytes(call)) return *bytes;
  const bool known = AnyText(call.types);
  for (size_t i = 0; i < call.types.size(); ++i) {
    const SqlType type = call.types[i];
    // If no argument is a text, an unknown one may be a list.
    if (type == SqlType::kUnknown && !known) return SqlType{};
    tree::Replace(call.argument(i), Converted(tree::Take(call.argument(i)), type, kText));
  }
  return kText;
}

constexpr size_t kMostOfMacro = 10;  // Arguments of the macro concat().

}  // namespace

// || and concat(): what is joined with text is first written as Spark writes it. Lists are joined
// as lists, and binary as binary.
Result<SqlType> TypeJoinedText(TypedCall& call) {
  PT_LET(const SqlType type, TypeParts(call));
  const bool texts = type == kText || type == SqlType::kBinary;
  if (call.name == "concat" && texts && call.types.size() > kMostOfMacro) {
    Json joined = tree::Take(call.argument(0));
    for (size_t i = 1; i < call.types.size(); ++i) {
      Json pair = Json::array({std::move(joined), tree::Take(call.argument(i))});
      joined = tree::Call("||", std::move(pair), call.node);
    }
    tree::Replace(call.node, std::move(joined));
  }
  // DuckDB gives a constant NULL no type.
  const bool null = std::ranges::find(call.types, SqlType{SqlType::kNull}) != call.types.end();
  if (null && type == kText) call.CastResult(type);
  return type;
}

}  // namespace protium
