// SPDX-License-Identifier: Apache-2.0
#include "plan/row_kinds.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "plan/functions.h"
#include "plan/row_columns.h"
#include "plan/row_functions.h"

namespace protium {
namespace {

using Kind = RowValues::Kind;

bool IsWhole(const Expr& expr) {
  return expr.kind == Expr::Kind::kLiteral && std::holds_alternative<int64_t>(expr.value);
}
bool IsDouble(const Expr& expr) {
  return expr.kind == Expr::Kind::kLiteral && std::holds_alternative<double>(expr.value);
}
bool IsNumber(const Expr& expr) {
  return IsDouble(expr) && !std::isnan(std::get<double>(expr.value));
}
bool IsSize(const Expr& expr) { return expr.kind == Expr::Kind::kCall && expr.name == "abs"; }

// Checks calls on which all engines agree for only some arguments of these kinds.
bool Agrees(const Expr& call, Kind first) {
  const std::vector<Expr>& arguments = call.arguments;
  if (call.name == "pmod")
    return IsWhole(arguments[1]) && std::get<int64_t>(arguments[1].value) > 0;
  // Engines disagree on the greatest of 0 and -0.
  if (call.name == "greatest") return std::ranges::all_of(arguments, IsSize);
  // Whether NaN equals NaN depends on what an engine knows of the column.
  const bool equality = call.name == "=" || call.name == "<>";
  return !equality || first != Kind::kDouble || IsNumber(arguments[0]) || IsNumber(arguments[1]);
}

// NULL, and what fails, fit any other kind.
std::optional<Kind> Common(Kind a, Kind b) {
  if (a == b || b == Kind::kNone) return a;
  return a == Kind::kNone ? std::optional(b) : std::nullopt;
}

std::optional<Kind> KindOfElement(const Expr& call, const arrow::Schema& schema) {
  const auto field = schema.GetFieldByName(call.arguments[0].name);
  const bool listed = call.arguments[0].kind == Expr::Kind::kColumn && field != nullptr &&
                      HasNumbers(*field->type());
  const bool placed = IsWhole(call.arguments[1]) && std::get<int64_t>(call.arguments[1].value) >= 0;
  return listed && placed ? std::optional(Kind::kNumber) : std::nullopt;
}

std::optional<Kind> KindOfCall(const Expr& call, const arrow::Schema& schema) {
  const std::string& name = call.name;
  const std::vector<Expr>& arguments = call.arguments;
  if (name == "error") {
    const bool text = arguments[0].kind == Expr::Kind::kLiteral &&
                      std::holds_alternative<std::string>(arguments[0].value);
    return text ? std::optional(Kind::kNone) : std::nullopt;
  }
  if (name == "element") return KindOfElement(call, schema);
  std::vector<Kind> kinds;
  for (const Expr& argument : arguments) {
    const auto kind = KindWithin(argument, schema);
    if (!kind) return std::nullopt;
    kinds.push_back(*kind);
  }
  const Kind first = kinds.front();
  if (name == "if") return first == Kind::kFlag ? Common(kinds[1], kinds[2]) : std::nullopt;
  if (name == "pick") {
    const bool literal = std::all_of(arguments.begin() + 1, arguments.end(), IsDouble);
    return first == Kind::kWhole && literal ? std::optional(Kind::kDouble) : std::nullopt;
  }
  const bool alike = std::ranges::count(kinds, first) == std::ssize(kinds);
  if (name == "and" || name == "or") {
    return alike && first == Kind::kFlag ? std::optional(first) : std::nullopt;
  }
  if (name == "coalesce") {
    const bool one = first == Kind::kDouble || first == Kind::kWhole || first == Kind::kText;
    return alike && one ? std::optional(first) : std::nullopt;
  }
  const auto kind = KindOfFunction(name, kinds);
  return kind && Agrees(call, first) ? kind : std::nullopt;
}

}  // namespace

std::optional<Kind> KindWithin(const Expr& expr, const arrow::Schema& schema) {
  if (expr.kind == Expr::Kind::kColumn) {
    const auto field = schema.GetFieldByName(expr.name);
    return field == nullptr ? std::nullopt : KindOfType(*field->type());
  }
  if (expr.kind == Expr::Kind::kCall) {
    // Evaluation relies on the number of arguments.
    const Function* const function = FindFunction(expr.name);
    const auto given = std::ssize(expr.arguments);
    const bool fits = function != nullptr && given >= function->fewest &&
                      (function->most < 0 || given <= function->most);
    return fits ? KindOfCall(expr, schema) : std::nullopt;
  }
  if (std::holds_alternative<bool>(expr.value)) return Kind::kFlag;
  if (std::holds_alternative<int64_t>(expr.value)) return Kind::kWhole;
  if (std::holds_alternative<double>(expr.value)) return Kind::kDouble;
  return std::holds_alternative<std::string>(expr.value) ? Kind::kText : Kind::kNone;
}

std::optional<Kind> InferKind(const Expr& expr, const arrow::Schema& schema) {
  const auto kind = KindWithin(expr, schema);
  return kind && ToArrowType(*kind) != nullptr ? kind : std::nullopt;
}

}  // namespace protium
