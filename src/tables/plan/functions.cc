// SPDX-License-Identifier: Apache-2.0
#include "plan/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/fault.h"
#include "base/nearest.h"
#include "plan/aggregates.h"

namespace protium {
namespace {

// {name, fewest arguments, most arguments}; -1: no limit. Sorted by name, for a binary search.
constexpr Function kFunctions[] = {
    {"*", 2, 2},
    {"+", 2, 2},
    {"-", 2, 2},
    {"/", 2, 2},
    {"<", 2, 2},
    {"<=", 2, 2},
    {"<>", 2, 2},
    {"=", 2, 2},
    {">", 2, 2},
    {">=", 2, 2},
    {"abs", 1, 1},
    {"and", 2, 2},
    {"cast_bool", 1, 1},
    {"cast_double", 1, 1},
    {"cast_float", 1, 1},
    {"cast_int64", 1, 1},
    {"cast_string", 1, 1},
    {"ceil", 1, 1},
    {"coalesce", 1, -1},
    {"day", 1, 1},
    {"day_of_week", 1, 1},
    {"day_of_year", 1, 1},
    {"element", 2, 2},
    {"error", 1, 1},
    {"expm1", 1, 1},
    {"extract_all", 2, 2},
    {"floor", 1, 1},
    {"greatest", 2, -1},
    {"hash_text", 1, -1},
    {"hour", 1, 1},
    {"if", 3, 3},
    {"is_nan", 1, 1},
    {"is_not_null", 1, 1},
    {"is_null", 1, 1},
    {"join_text", 1, -1},
    {"keep_long", 2, 2},
    {"least", 2, -1},
    {"leave_out", 2, -1},
    {"leave_out_any_case", 2, -1},
    {"length", 1, 1},
    {"ln", 1, 1},
    {"log1p", 1, 1},
    {"lower", 1, 1},
    {"minute", 1, 1},
    {"month", 1, 1},
    {"n_grams", 2, 2},
    {"nan_to_null", 1, 1},
    {"negate", 1, 1},
    {"not", 1, 1},
    {"or", 2, 2},
    {"pick", 2, -1},
    {"pmod", 2, 2},
    {"quarter", 1, 1},
    {"second", 1, 1},
    {"split", 2, 2},
    {"sqrt", 1, 1},
    {"unix_time", 1, 1},
    {"upper", 1, 1},
    {"week_of_year", 1, 1},
    {"year", 1, 1},
};

// Whether a function is written between its operands: "and", "or", and all names made of symbols.
bool IsOperator(std::string_view name) {
  return name == "and" || name == "or" ||
         std::all_of(name.begin(), name.end(), [](char c) { return c < 'a' || c > 'z'; });
}

// Checks only the number of arguments: columns have no types before the plan meets a table.
Status CheckArguments(const Function& function, const Expr& expr) {
  const auto given = static_cast<int32_t>(expr.arguments.size());
  if (given >= function.fewest && (function.most < 0 || given <= function.most)) {
    return Status::OK();
  }
  std::string wants = std::to_string(function.fewest);
  if (function.most < 0) wants += " or more";
  return Fail({.exit = Exit::kUsage,
               .what = "function \"" + expr.name + "\" takes " + wants + " arguments, got " +
                       std::to_string(given)});
}

// Returns text for people: texts are quoted but not escaped.
std::string LiteralText(const Literal& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<int64_t>(&value)) return std::to_string(*whole);
  // JSON keeps a point or an exponent, so that 1.0 is not shown as a whole number.
  if (const auto* number = std::get_if<double>(&value)) return Dump(Json(*number));
  if (const auto* text = std::get_if<std::string>(&value)) return "'" + *text + "'";
  return "null";
}

std::string Join(const std::vector<std::string>& parts, std::string_view between) {
  std::string joined;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) joined += between;
    joined += part;
  }
  return joined;
}

}  // namespace

static_assert(std::ranges::is_sorted(kFunctions, {}, &Function::name));

std::span<const Function> Functions() { return kFunctions; }

// Binary search; the assertion above guarantees the order.
const Function* FindFunction(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(kFunctions, name, {}, &Function::name);
  return found != std::end(kFunctions) && found->name == name ? found : nullptr;
}

// From the top down, so that the outermost mistake is reported.
Status Check(const Expr& expr) {
  if (expr.kind != Expr::Kind::kCall) return Status::OK();
  const Function* const function = FindFunction(expr.name);
  if (function == nullptr && FindAggregate(expr.name) != nullptr) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{}() is computed of many rows, and this expression sees one",
                                     FindAggregate(expr.name)->door),
                 .fix = "use it in GroupBy(...).Aggregate(...) or in Window()"});
  }
  if (function == nullptr) {
    std::vector<std::string> known;
    for (const Function& each : kFunctions) known.emplace_back(each.name);
    return Fail({.exit = Exit::kUsage,
                 .what = "unknown function \"" + expr.name + "\" in an expression",
                 .fix = Suggest(expr.name, known)});
  }
  PT_TRY(CheckArguments(*function, expr));
  for (const Expr& argument : expr.arguments) PT_TRY(Check(argument));
  return Status::OK();
}

std::string ToText(const Expr& expr) {
  if (expr.kind == Expr::Kind::kColumn) return expr.name;
  if (expr.kind == Expr::Kind::kLiteral) return LiteralText(expr.value);
  std::vector<std::string> arguments;
  for (const Expr& argument : expr.arguments) arguments.push_back(ToText(argument));
  if (arguments.size() == 2 && IsOperator(expr.name)) {
    return "(" + Join(arguments, " " + expr.name + " ") + ")";
  }
  return expr.name + "(" + Join(arguments, ", ") + ")";
}

}  // namespace protium
