// SPDX-License-Identifier: Apache-2.0
#include "sql/dialect.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/fault.h"
#include "base/text.h"
#include "plan/functions.h"
#include "sql/duckdb/scan.h"

namespace protium {
namespace {

// As text that both engines read back as the same double: {} prints the shortest such text. Both
// accept "NaN", "Infinity" and "-Infinity" in a cast from text, and neither has a literal for them.
std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  return fmt::format("{}", value);
}

std::string LiteralText(const Literal& value, const Dialect& dialect) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "TRUE" : "FALSE";
  if (const auto* whole = std::get_if<int64_t>(&value)) {
    // A cast from text: 7 alone would have 32 bits on both engines, and the smallest int64 cannot
    // be written as a minus before a literal, whose digits alone do not fit 64 bits.
    return fmt::format("CAST('{}' AS {})", *whole, dialect.types.int64);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return fmt::format("CAST('{}' AS {})", NumberText(*number), dialect.types.float64);
  }
  if (const auto* text = std::get_if<std::string>(&value)) return QuoteText(*text, dialect);
  return "NULL";
}

// Puts arguments in place of $1, $2, ... and $* of a spelling (spellings.h).
std::string Fill(std::string_view spelling, const std::vector<std::string>& arguments) {
  std::string text;
  for (size_t i = 0; i < spelling.size(); ++i) {
    if (spelling[i] != '$' || i + 1 == spelling.size()) {
      text += spelling[i];
    } else if (spelling[++i] == '*') {
      text += fmt::format("{}", fmt::join(arguments, ", "));
    } else if (spelling[i] == '+') {
      text += fmt::format("{}", fmt::join(arguments.begin() + 1, arguments.end(), ", "));
    } else {
      text += arguments[spelling[i] - '1'];
    }
  }
  return text;
}

// Every call is in the table: ExprText() has already checked the whole expression.
Result<std::string> Render(const Expr& expr, const Dialect& dialect) {
  if (expr.kind == Expr::Kind::kColumn) return QuoteName(expr.name, dialect);
  if (expr.kind == Expr::Kind::kLiteral) return LiteralText(expr.value, dialect);
  std::vector<std::string> arguments;
  for (const Expr& argument : expr.arguments) {
    PT_LET(std::string text, Render(argument, dialect));
    arguments.push_back(std::move(text));
  }
  return Fill(FindSpelling(expr.name, dialect.spellings), arguments);
}

}  // namespace

std::string QuoteName(std::string_view name, const Dialect& dialect) {
  return InQuotes(name, dialect.quote);
}

std::string QuoteText(std::string_view text, const Dialect& dialect) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += dialect.text_escape;
    } else {
      quoted.append(c == '\\' && dialect.backslash ? 2 : 1, c);
    }
  }
  return quoted + "'";
}

Result<std::string> TypeText(const arrow::DataType& type, const Dialect& dialect) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return std::string(dialect.types.boolean);
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
      return std::string(dialect.types.int32);
    case arrow::Type::UINT8:
    case arrow::Type::UINT16:
    case arrow::Type::UINT32:
    case arrow::Type::INT64:
      return std::string(dialect.types.int64);
    case arrow::Type::FLOAT:
      return std::string(dialect.types.float32);
    case arrow::Type::DOUBLE:
      return std::string(dialect.types.float64);
    case arrow::Type::STRING:
      return std::string(dialect.types.text);
    case arrow::Type::BINARY:
      return std::string(dialect.types.binary);
    case arrow::Type::DATE32:
      return std::string("DATE");
    case arrow::Type::TIMESTAMP:
      return std::string(dialect.types.timestamp);
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::Decimal128Type&>(type);
      return fmt::format("DECIMAL({}, {})", decimal.precision(), decimal.scale());
    }
    case arrow::Type::LIST: {
      PT_LET(std::string item,
             TypeText(*static_cast<const arrow::ListType&>(type).value_type(), dialect));
      return fmt::format(fmt::runtime(dialect.types.list), item);
    }
    default:
      return Fail({.exit = Exit::kInput,
                   .what = "columns of type " + type.ToString() + " are not supported"});
  }
}

Result<std::string> ExprText(const Expr& expr, const Dialect& dialect) {
  PT_TRY(Check(expr));
  return Render(expr, dialect);
}

}  // namespace protium
