// SPDX-License-Identifier: Apache-2.0
// Operators and conditions: comparisons, AND and OR, CASE, IN and EXISTS.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sql_tree/nested_type.h"
#include "sql_tree/tree.h"
#include "sql_tree/tree_parts.h"
#include "sql_tree/tree_view.h"
#include "sql_types/convert.h"
#include "sql_types/memberships.h"
#include "sql_types/typer.h"
#include "sql_words/generated_names.h"

namespace protium {
namespace {

using tree::Text;

const SqlType kBoolean{SqlType::kBoolean};

// x IN (SELECT ...) is true or false in Spark, which runs it as a join: false where DuckDB says
// null. Written as coalesce(sought, CAST('f' AS BOOLEAN)), as DuckDB itself serialises false.
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

// Whether NeverNull() made the node, also with a NOT inside.
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
  // A conjunction drops a row for null as for false; OR may hide either.
  if (Text(condition, "type") != "CONJUNCTION_AND") return;
  for (Json& child : condition["children"]) KeepJoins(child);
}

Status Typer::Condition(Json& node, const Scope& scope, bool reads_text) {
  if (!node.is_object()) return Status::OK();
  const tree::View view(node);
  const bool part = view.Is(tree::Kind::kConjunction) || view.type() == "OPERATOR_NOT";
  // Not through Expression(), which treats them as values.
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

// Casts both sides to one type. Whole numbers of different widths compare correctly without a cast.
Status Typer::CompareSides(Json& at, Json& left, Json& right, SqlType a, SqlType b) {
  if (a.IsWhole() && b.IsWhole()) return Status::OK();
  if (a.IsNested() || b.IsNested()) return CompareNested(at, left, right, {a, b});
  // The digits of a constant count, not its type: in x > 5, a DECIMAL(10,2) does not become wider.
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

// Spark compares with each bound separately, DuckDB casts all three to one type: unless the types
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

// grouping() has 8 bits, unlike grouping_id(): see generated_names.h.
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
    // NOT IN: false where DuckDB says null, so the coalesce must be outside the NOT.
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
    // All are whole numbers: DuckDB widens them without changing a result.
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
  // A constant text in brackets, or a name behind a point: other subscripts have become calls by
  // now.
  if ((type == "ARRAY_EXTRACT" || type == "STRUCT_EXTRACT") && types.size() == 2) {
    return Extract(node, types[0]);
  }
  return type == "ARRAY_SLICE" && !types.empty() ? types[0] : SqlType{};
}

// Spark turns queries into joins, which ON and ORDER BY accept only in part.
Status Typer::CheckQueryWithin(const Json& node, std::string_view within, bool correlated) const {
  const bool scalar = Text(node, "subquery_type") == "SCALAR";
  if (within.empty() || (scalar && !correlated) || (!scalar && within == "ON")) return Status::OK();
  return Refuse(node,
                scalar ? fmt::format("a query in {} names a column of the query around it", within)
                       : "IN and EXISTS with a query stand in ORDER BY",
                "Spark takes it in the select list, WHERE and HAVING",
                "compute it in the select list, and name it here");
}

// The type of a subquery: EXISTS is a boolean, a scalar query has the type of its column, and IN
// compares with its column.
Result<SqlType> Typer::Subquery(Json& node, const Scope& scope) {
  if (IsRowMembership(node)) tree::Replace(node, AsExists(node, /*negated=*/false));
  const tree::SubqueryParts parts(node);
  const std::string_view within = std::exchange(within_, "");
  const bool read = std::exchange(scope.read_within, false);
  PT_LET(const Relation made, Query(parts.query, &scope));
  PT_TRY(CheckQueryWithin(node, within, scope.read_within));
  scope.read_within = scope.read_within || read;
  within_ = within;
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
  // The cast goes inside the subquery: there is no room for it on the right side of IN.
  if (made.columns.size() == 1 && !made.open) {
    RecastColumns(parts.query, made.columns, {{made.columns[0].name, *common}});
  }
  if (!child.IsWhole() || !column.IsWhole()) Coerce(*parts.sought, child, *common);
  tree::Replace(node, NeverNull(tree::Take(node)));
  return kBoolean;
}

}  // namespace protium
