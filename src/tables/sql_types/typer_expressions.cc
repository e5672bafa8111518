// SPDX-License-Identifier: Apache-2.0
// Expressions that are no calls: names, constants, casts, CASE, comparisons, conditions,
// subqueries.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/fault.h"
#include "sql_tree/nested_type.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_tree/tree_view.h"
#include "sql_types/convert.h"
#include "sql_types/lazy.h"
#include "sql_types/memberships.h"
#include "sql_types/nested_values.h"
#include "sql_types/typer.h"
#include "sql_words/generated_names.h"

namespace protium {
namespace {

using tree::Text;

const SqlType kBoolean{SqlType::kBoolean};

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
// as another one: 0.5 is DECIMAL(2,1) there and decimal(1,1) in Spark.
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

// x IN (SELECT ...) is true or false in Spark, which runs it as a join; where DuckDB says null, it
// is false. Written as coalesce(sought, CAST('f' AS BOOLEAN)), as DuckDB itself serialises false.
Json NeverNull(Json sought) {
  const Json place = sought["query_location"];
  Json no = tree::Cast(tree::TextConstant("f"), kBoolean);
  Json node = tree::Operator("OPERATOR", "OPERATOR_COALESCE",
                             Json::array({std::move(sought), std::move(no)}));
  node["query_location"] = place;
  return node;
}

// Whether it is (a, b) IN (SELECT ...).
bool IsRowMembership(const Json& node) {
  return IsSoughtIn(node) && node.contains("child") && tree::View(node["child"]).Calls("row");
}

// Whether NeverNull() made it, also with a NOT inside.
bool IsNeverNull(const Json& node) {
  if (Text(node, "type") != "OPERATOR_COALESCE") return false;
  const Json& first = node["children"][0];
  return IsSoughtIn(first) ||
         (Text(first, "type") == "OPERATOR_NOT" && IsSoughtIn(first["children"][0]));
}

}  // namespace

void KeepJoins(Json& condition) {
  if (!condition.is_object()) return;
  if (IsNeverNull(condition)) condition = Json(condition["children"][0]);
  // A conjunction drops a row for a null as for a false; OR may hide either.
  if (Text(condition, "type") != "CONJUNCTION_AND") return;
  for (Json& child : condition["children"]) KeepJoins(child);
}

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

Status Typer::Condition(Json& node, const Scope& scope, bool reads_text) {
  if (!node.is_object()) return Status::OK();
  const tree::View view(node);
  const bool part = view.Is(tree::Kind::kConjunction) || view.type() == "OPERATOR_NOT";
  // Not by way of Expression(), which makes values of them.
  auto typed = !part                               ? Expression(node, scope)
               : view.Is(tree::Kind::kConjunction) ? Conjunction(node, scope)
                                                   : Operator(node, scope);
  PT_LET(const SqlType type, typed);
  if (type == kBoolean || type == SqlType::kNull || type == SqlType::kUnknown) {
    return Status::OK();
  }
  if (reads_text && type == SqlType::kText) {
    Coerce(node, type, kBoolean);
    return Status::OK();
  }
  return Refuse(node, "a condition is " + type.SparkName() + ", not true or false",
                "Spark takes no other type for a condition", "compare it with a value");
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
  // A cast keeps the type when the tree is written as text.
  if (Text(value["type"], "id") == "HUGEINT") {  // Beyond 64 bits a number is a decimal.
    type = SqlType::Decimal(tree::WholeDigits(node), 0);
    tree::Replace(node, tree::Cast(tree::Take(node), type));
    return type;
  }
  // json_deserialize_sql writes a decimal without a fraction as a whole number; a cast keeps its
  // type.
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
      return Refuse(node, fmt::format("column \"{}\" is there more than once", name()),
                    "Spark does not choose one of them",
                    fmt::format("write it with its table, t.{}, or rename one of them", name()));
    case NameFault::kTable:
      return Refuse(node, fmt::format("\"{}\" is a table and no column", name()),
                    "Spark takes no table for a value", "use struct(a, b), or count(*)");
    case NameFault::kUnseen:
      return Refuse(node, fmt::format("\"{}\" is a name of the select list", name()),
                    "WHERE and queries within do not see it in Spark",
                    "repeat its expression, or put the SELECT into FROM (...)");
  }
  if (in_windows_ > 0 && IsAlias(scope, names)) {
    return Refuse(node, fmt::format("\"{}\" is a name of the select list", name()),
                  "windows do not see it in Spark", "repeat its expression");
  }
  return Status::OK();
}

// Respells the casts that DuckDB performs differently and that CastRule did not take; all others
// stay.
Result<SqlType> Typer::ExplicitCast(Json& node, const Scope& scope) {
  const tree::CastParts cast(node);
  PT_LET(const SqlType from, Expression(cast.child, scope));
  SqlType to = TypeIn(cast.type);
  if (to == SqlType::kInterval) return IntervalCast(node);
  if (to == SqlType::kTimestamp) to = SqlType::ZonedTime();  // NTZ is written otherwise.
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

// INTERVAL '1 month': only the words in the text tell which kind of interval it is, and from which
// unit to which.
Result<SqlType> Typer::IntervalCast(const Json& cast) const {
  const std::string* const text = tree::ConstantText(cast["child"]);
  if (text == nullptr) {
    return Refuse(cast, "text is cast to an interval",
                  "the embedded engine reads other texts as intervals than Spark",
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

Result<SqlType> Typer::CaseWhen(Json& node, const Scope& scope) {
  std::vector<Json*> values;
  std::vector<SqlType> types;
  const tree::CaseParts parts(node);
  for (const auto& branch : parts.branches) {
    PT_TRY(Condition(branch.when, scope));
    values.push_back(&branch.then);
  }
  if (parts.otherwise.is_object()) values.push_back(&parts.otherwise);
  for (Json* const value : values) {
    PT_LET(types.emplace_back(), Expression(*value, scope));
  }
  return Unify("CASE", node, values, types);
}

// Casts both sides to one type. Whole numbers of different widths compare alike without that.
Status Typer::CompareSides(Json& at, Json& left, Json& right, SqlType a, SqlType b) {
  if (a.IsWhole() && b.IsWhole()) return Status::OK();
  if (a.IsNested() || b.IsNested()) return CompareNested(at, left, right, {a, b});
  // The digits of a constant count, not its type: x > 5 keeps a DECIMAL(10,2) as narrow as it is.
  TightenBesideDecimal(left, a, b);
  TightenBesideDecimal(right, b, a);
  PT_TRY(Unify("a comparison", at, {&left, &right}, {a, b}));
  return Status::OK();
}

Result<SqlType> Typer::Compare(Json& node, const Scope& scope) {
  const tree::SideParts sides(node);
  PT_LET(const SqlType a, Expression(sides.left, scope));
  PT_LET(const SqlType b, Expression(sides.right, scope));
  PT_TRY(CompareSides(node, sides.left, sides.right, a, b));
  return kBoolean;
}

// Spark compares with each bound by itself, DuckDB casts all three to one type: unless the types
// agree anyway, it becomes two comparisons.
Result<SqlType> Typer::Between(Json& node, const Scope& scope) {
  const tree::BetweenParts parts(node);
  PT_LET(const SqlType input, Expression(parts.input, scope));
  PT_LET(const SqlType lower, Expression(parts.lower, scope));
  PT_LET(const SqlType upper, Expression(parts.upper, scope));
  if ((input == lower && input == upper && !input.IsNested()) ||
      (input.IsWhole() && lower.IsWhole() && upper.IsWhole())) {
    return kBoolean;
  }
  Json at_least = tree::Comparison("COMPARE_GREATERTHANOREQUALTO", parts.input, parts.lower);
  Json at_most = tree::Comparison("COMPARE_LESSTHANOREQUALTO", parts.input, parts.upper);
  const tree::SideParts above(at_least), below(at_most);
  PT_TRY(CompareSides(at_least, above.left, above.right, input, lower));
  PT_TRY(CompareSides(at_most, below.left, below.right, input, upper));
  Json both = tree::Operator("CONJUNCTION", "CONJUNCTION_AND",
                             Json::array({std::move(at_least), std::move(at_most)}));
  both["query_location"] = node["query_location"];
  tree::Replace(node, std::move(both));
  return kBoolean;
}

Result<SqlType> Typer::Conjunction(Json& node, const Scope& scope) {
  for (Json& child : node["children"]) PT_TRY(Condition(child, scope, /*reads_text=*/true));
  return kBoolean;
}

// grouping() is of 8 bits, unlike grouping_id(): see generated_names.h.
Result<SqlType> Typer::Grouping(Json& node, const Scope& scope) {
  Json& columns = node["children"];
  const Json& last = columns.back();
  const bool marked = tree::FindKind(last) == tree::Kind::kColumn &&
                      last["column_names"].back() == std::string(kAllGroups);
  if (marked) columns.erase(columns.size() - 1);
  PT_TRY(Each(columns, scope).status());
  if (marked || columns.size() > 1) return SqlType{SqlType::kBigint};
  const SqlType tiny{SqlType::kTinyint};
  tree::Replace(node, tree::Cast(tree::Take(node), tiny));
  return tiny;
}

Result<SqlType> Typer::Operator(Json& node, const Scope& scope) {
  const std::string type = Text(node, "type");
  Json& children = node["children"];
  if (type == "OPERATOR_NOT") {
    if (IsRowMembership(children[0])) {
      tree::Replace(children[0], AsExists(children[0], /*negated=*/true));
    }
    PT_TRY(Condition(children[0], scope, /*reads_text=*/true));
    // NOT IN: false where DuckDB says null, so the coalesce has to be outside the NOT.
    if (IsNeverNull(children[0])) {
      children[0] = Json(children[0]["children"][0]);
      tree::Replace(node, NeverNull(tree::Take(node)));
    }
    return kBoolean;
  }
  if (type == "GROUPING_FUNCTION") return Grouping(node, scope);
  PT_LET(const std::vector<SqlType> types, Each(children, scope));
  std::vector<Json*> nodes;
  for (Json& child : children) nodes.push_back(&child);
  if (type == "OPERATOR_COALESCE") return Unify("coalesce", node, nodes, types);
  if (type == "ARRAY_CONSTRUCTOR") {
    PT_LET(const SqlType element, Unify("an array", node, nodes, types));
    return SqlType::ListOf(element);
  }
  if (type == "COMPARE_IN" || type == "COMPARE_NOT_IN") {
    // All of whole numbers: DuckDB widens them without changing an answer.
    if (types[0].IsNested()) {
      PT_TRY(UnifyNested("IN", node, nodes, types, /*wide=*/true));
      return kBoolean;
    }
    const bool whole =
        std::all_of(types.begin(), types.end(), [](const SqlType& each) { return each.IsWhole(); });
    if (!whole) PT_TRY(Unify("IN", node, nodes, types));
    return kBoolean;
  }
  if (type == "OPERATOR_IS_NULL" || type == "OPERATOR_IS_NOT_NULL") return kBoolean;
  // A constant text in brackets, or a name behind a point: other subscripts are calls by now.
  if ((type == "ARRAY_EXTRACT" || type == "STRUCT_EXTRACT") && types.size() == 2) {
    return Extract(node, types[0]);
  }
  return type == "ARRAY_SLICE" && !types.empty() ? types[0] : SqlType{};
}

// The type of a subquery: EXISTS is a boolean, a scalar query has the type of its column, and IN
// compares with its column.
Result<SqlType> Typer::Subquery(Json& node, const Scope& scope) {
  if (IsRowMembership(node)) tree::Replace(node, AsExists(node, /*negated=*/false));
  const tree::SubqueryParts parts(node);
  PT_LET(const Relation made, Query(parts.query, &scope));
  const std::string type = Text(node, "subquery_type");
  const SqlType column = made.open || made.columns.empty() ? SqlType{} : made.columns[0].type;
  if (type == "SCALAR") return column;
  if (type != "ANY" || parts.sought == nullptr) return kBoolean;
  PT_LET(const SqlType child, Expression(*parts.sought, scope));
  const auto common = child.IsWhole() && column.IsWhole() ? column
                      : child.IsNested() ? TightType(NamedLike(child, column), column)
                                         : CommonType(child, column);
  if (!common || HoldsMap(*common)) {
    return Refuse(node,
                  fmt::format("{} is looked for among {}", child.SparkName(), column.SparkName()),
                  "Spark has no common type for them", "cast one of them");
  }
  // The cast goes inside the subquery: around IN there is no place for one on its right side.
  if (made.columns.size() == 1 && !made.open) {
    RecastColumns(parts.query, made.columns, {{made.columns[0].name, *common}});
  }
  if (!child.IsWhole() || !column.IsWhole()) Coerce(*parts.sought, child, *common);
  tree::Replace(node, NeverNull(tree::Take(node)));
  return kBoolean;
}

}  // namespace protium
