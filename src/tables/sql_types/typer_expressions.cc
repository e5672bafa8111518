// SPDX-License-Identifier: Apache-2.0
// Decides what an expression is, then types names, constants and casts. Operators are in
// typer_operators.cc, calls in typer_calls.cc.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_tree/tree_view.h"
#include "sql_types/convert.h"
#include "sql_types/lazy.h"
#include "sql_types/nested_values.h"
#include "sql_types/typer.h"

namespace protium {
namespace {

using tree::Text;

SqlType TypeIn(const Json& type);

std::vector<SqlColumn> FieldsIn(const Json& types) {
  std::vector<SqlColumn> fields;
  for (const Json& field : types) {
    fields.push_back({Text(field, "first"), TypeIn(field["second"])});
  }
  return fields;
}

// The type that the tree names for a constant or a cast; unknown for other types with parts. A
// DECIMAL without width and scale is DuckDB's default, (18,3).
SqlType TypeIn(const Json& type) {
  const std::string id = Text(type, "id");
  const Json info = type.value("type_info", Json());
  if (id == "DECIMAL" && info.is_object()) {
    return SqlType::Decimal(info.value("width", 18), info.value("scale", 3));
  }
  if (id == "LIST" && info.is_object()) return SqlType::ListOf(TypeIn(info["child_type"]));
  if (id == "STRUCT" && info.is_object()) return SqlType::StructOf(FieldsIn(info["child_types"]));
  if (id == "MAP" && info.is_object()) {
    const auto entry = FieldsIn(info["child_type"]["type_info"]["child_types"]);
    return entry.size() == 2 ? SqlType::MapOf(entry[0].type, entry[1].type) : SqlType{};
  }
  return info.is_null() ? SqlType::FromDuck(id) : SqlType{};
}

// Sets `type` to Spark's type of a decimal constant, given by its digits; true if DuckDB reads it
// as a different one: 0.5 is DECIMAL(2,1) there and decimal(1,1) in Spark.
bool IsNarrower(const Json& value, SqlType& type) {
  const Json& digits = value["value"];
  if (!digits.is_number_integer()) return false;
  const std::string text = Dump(digits);
  const int count = static_cast<int>(text.size()) - (text.starts_with('-') ? 1 : 0);
  const SqlType exact = SqlType::Decimal(std::max({count, type.scale, 1}), type.scale);
  const bool narrower = !(exact == type);
  type = exact;
  return narrower;
}

}  // namespace

Result<SqlType> Typer::Expression(Json& node, const Scope& scope) {
  if (!node.is_object()) return SqlType{};
  switch (tree::FindKind(node)) {
    case tree::Kind::kConstant:
      return Constant(node);
    case tree::Kind::kColumn:
      return Column(node, scope);
    case tree::Kind::kCast:
      return ExplicitCast(node, scope);
    case tree::Kind::kCase:
      return CaseWhen(node, scope);
    case tree::Kind::kComparison:
      return Compare(node, scope);
    case tree::Kind::kBetween:
      return Between(node, scope);
    case tree::Kind::kConjunction: {
      PT_LET(const SqlType type, Conjunction(node, scope));
      MakeLazy(node);
      return type;
    }
    case tree::Kind::kOperator: {
      PT_LET(const SqlType type, Operator(node, scope));
      MakeLazy(node);
      return type;
    }
    case tree::Kind::kSubquery:
      return Subquery(node, scope);
    case tree::Kind::kFunction:
      return Function(node, scope);
    case tree::Kind::kWindow:
      return Window(node, scope);
    default:
      return SqlType{};
  }
}

Result<std::vector<SqlType>> Typer::Each(Json& nodes, const Scope& scope) {
  std::vector<SqlType> types;
  if (!nodes.is_array()) return types;
  for (Json& node : nodes) {
    PT_LET(types.emplace_back(), Expression(node, scope));
  }
  return types;
}

Result<SqlType> Typer::Unify(const std::string& what, const Json& at,
                             const std::vector<Json*>& nodes, const std::vector<SqlType>& types) {
  const auto common = CommonType(types);
  if (!common) {
    std::vector<std::string> names;
    for (const SqlType& type : types) names.push_back(type.SparkName());
    return Refuse(
        at, fmt::format("the values of {} have the types {}", what, fmt::join(names, " and ")),
        "Spark has no common type for them", "cast them to one type");
  }
  for (size_t i = 0; i < nodes.size(); ++i) Coerce(*nodes[i], types[i], *common);
  return *common;
}

Status Typer::Refuse(const Json& node, std::string what, std::string why, std::string fix) const {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = source_.place(node),
               .why = std::move(why),
               .fix = std::move(fix)});
}

SqlType Typer::Constant(Json& node) {
  const Json& value = node["value"];
  if (value.value("is_null", false)) return {SqlType::kNull};
  SqlType type = TypeIn(value["type"]);
  // A cast preserves the type when the tree is written as text.
  if (Text(value["type"], "id") == "HUGEINT") {  // Beyond 64 bits a number is a decimal.
    type = SqlType::Decimal(tree::WholeDigits(node), 0);
    tree::Replace(node, tree::Cast(tree::Take(node), type));
    return type;
  }
  // json_deserialize_sql writes a decimal without a fraction as a whole number; a cast preserves
  // its type.
  if (type == SqlType::kDecimal && (IsNarrower(value, type) || type.scale == 0)) {
    tree::Replace(node, tree::Cast(tree::Take(node), type));
  }
  return type;
}

Status Typer::CheckColumn(const Json& node, const Scope& scope) const {
  const Json& names = node["column_names"];
  const auto name = [&] { return names.back().get<std::string>(); };
  switch (CheckName(scope, names)) {
    case NameFault::kRight:
      break;
    case NameFault::kAmbiguous:
      return Refuse(node, fmt::format("column \"{}\" is ambiguous", name()),
                    "Spark does not choose one of them",
                    fmt::format("write it with its table, t.{}, or rename one of them", name()));
    case NameFault::kTable:
      return Refuse(node, fmt::format("\"{}\" is a table, not a column", name()),
                    "Spark does not take a table for a value", "use struct(a, b), or count(*)");
    case NameFault::kUnseen:
      return Refuse(node, fmt::format("\"{}\" is a name of the select list", name()),
                    "WHERE and queries within do not see it in Spark",
                    "repeat its expression, or put the SELECT into FROM (...)");
    case NameFault::kBeside:
      return Refuse(node, fmt::format("column \"{}\" is of a table beside this query", name()),
                    "Spark shows it to a query in FROM only after LATERAL",
                    "write LATERAL (SELECT ...)");
  }
  if (in_windows_ > 0 && IsAlias(scope, names)) {
    return Refuse(node, fmt::format("\"{}\" is a name of the select list", name()),
                  "windows do not see it in Spark", "repeat its expression");
  }
  return Status::OK();
}

// Respells the casts that DuckDB performs differently and that CastRule did not handle; leaves all
// others.
Result<SqlType> Typer::ExplicitCast(Json& node, const Scope& scope) {
  const tree::CastParts cast(node);
  PT_LET(const SqlType from, Expression(cast.child, scope));
  SqlType to = TypeIn(cast.type);
  if (to == SqlType::kInterval) return IntervalCast(node, from);
  if (to == SqlType::kTimestamp) to = SqlType::ZonedTime();  // NTZ is written differently.
  if (!CanCast(from, to)) return RefuseCast(node, from, to);
  if (from.IsNested() && to.IsNested()) {
    tree::Replace(node, Converted(tree::Take(cast.child), from, to, cast.tried));
    return to;
  }
  const bool spelt = (to == SqlType::kDecimal && !from.IsWhole() && from != SqlType::kDecimal &&
                      from != SqlType::kUnknown && from != SqlType::kNull) ||
                     (to.IsReal() && from == SqlType::kDecimal) ||
                     (to == SqlType::kBinary && from == SqlType::kText) ||
                     (to == SqlType::kText && from.IsNumber());
  if (spelt) tree::Replace(node, Converted(tree::Take(cast.child), from, to, cast.tried));
  return to;
}

// INTERVAL '1 month': only the words in the text say which kind of interval it is, and from which
// unit to which.
Result<SqlType> Typer::IntervalCast(const Json& cast, const SqlType& from) const {
  const std::string* const text = tree::ConstantText(cast["child"]);
  if (text == nullptr && (from.IsNumber() || from.IsTime() || from == SqlType::kBoolean)) {
    return Refuse(cast, from.SparkName() + " is cast to an interval", "Spark has no such cast",
                  "multiply an interval with it, as in INTERVAL 1 DAY * n");
  }
  if (text == nullptr) {
    return Refuse(cast, "text is cast to an interval",
                  "the embedded engine and Spark read different texts as intervals",
                  "write INTERVAL 'n' DAY, or multiply one with a number");
  }
  const std::string units = Lower(*text);
  // Weeks count as days, parts of a second as seconds.
  static constexpr std::pair<std::string_view, int> kUnits[] = {
      {"year", 0}, {"month", 1},  {"week", 2},  {"day", 2},
      {"hour", 3}, {"minute", 4}, {"second", 5}};
  int first = 6, last = 0;
  for (const auto& [name, unit] : kUnits) {
    if (units.find(name) == std::string::npos) continue;
    first = std::min(first, unit);
    last = std::max(last, unit);
  }
  if (first == 6) return SqlType{SqlType::kInterval};
  if (last < 2) return SqlType::MonthsOf(first, last);
  if (first >= 2) return SqlType::IntervalOf(first - 2, last - 2);
  return Refuse(cast, "an interval mixes months and days",
                "Spark keeps intervals of months and of days apart",
                "move the date or time by each in turn");
}

}  // namespace protium
