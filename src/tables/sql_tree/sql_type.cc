// SPDX-License-Identifier: Apache-2.0
#include "sql_tree/sql_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sql_tree/nested_type.h"

// Where Spark's source has these rules: AnsiTypeCoercion (findTightestCommonType,
// findWiderTypeForTwo and the casts of text), DecimalType (forType, bounded, adjustPrecisionScale)
// and DecimalPrecision, all below org.apache.spark.sql. Kinds are ordered from narrow to wide, so
// that the wider of two numbers has the larger kind.

namespace protium {
namespace {

using Kind = SqlType::Kind;

struct Names {
  Kind kind;
  std::string_view duck, spark;
};

constexpr Names kNames[] = {{Kind::kNull, "\"NULL\"", "void"},
                            {Kind::kBoolean, "BOOLEAN", "boolean"},
                            {Kind::kTinyint, "TINYINT", "tinyint"},
                            {Kind::kSmallint, "SMALLINT", "smallint"},
                            {Kind::kInt, "INTEGER", "int"},
                            {Kind::kBigint, "BIGINT", "bigint"},
                            {Kind::kFloat, "FLOAT", "float"},
                            {Kind::kDouble, "DOUBLE", "double"},
                            {Kind::kText, "VARCHAR", "string"},
                            {Kind::kDate, "DATE", "date"},
                            {Kind::kTimestamp, "TIMESTAMP", "timestamp_ntz"},
                            {Kind::kInterval, "INTERVAL", "interval"},
                            {Kind::kMonths, "INTERVAL", "interval"},
                            {Kind::kBinary, "BLOB", "binary"}};

int NumberIn(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The digits of the decimal that Spark uses for a whole number type (DecimalType.forType). BIGINT
// has 20, one more than 64 bits need.
int CountDigits(Kind kind) {
  return kind == Kind::kTinyint ? 3 : kind == Kind::kSmallint ? 5 : kind == Kind::kInt ? 10 : 20;
}

// Drops digits after the point if not all fit, so that the whole part stays: Spark's
// DecimalType.boundedPreferIntegralDigits, for the type that holds both of two decimals.
SqlType WholeDigitsFirst(int whole, int scale) {
  const int over = std::max(0, whole + scale - kMostDigits);
  return SqlType::Decimal(std::min(whole + scale, kMostDigits), std::max(0, scale - over));
}

SqlType CommonNumber(const SqlType& a, const SqlType& b) {
  if (a.kind == Kind::kDecimal || b.kind == Kind::kDecimal) {
    if (a.IsReal() || b.IsReal()) return {Kind::kDouble};
    const SqlType left = AsDecimal(a), right = AsDecimal(b);
    return WholeDigitsFirst(std::max(left.precision - left.scale, right.precision - right.scale),
                            std::max(left.scale, right.scale));
  }
  // The common type of a whole number and a FLOAT is DOUBLE: 24 bits do not hold every whole
  // number.
  const Kind wider = std::max(a.kind, b.kind);
  return {wider == Kind::kFloat ? Kind::kDouble : wider};
}

// The type as which text is read beside another type. No text is read as an interval or a list.
std::optional<SqlType> CommonWithText(const SqlType& other) {
  if (other.IsWhole()) return SqlType{Kind::kBigint};
  if (other.IsNumber()) return SqlType{Kind::kDouble};
  if (other.IsTime() || other == Kind::kBoolean || other == Kind::kBinary) return other;
  return std::nullopt;
}

// Beside a time with a zone, one without a zone gets it.
SqlType CommonTime(const SqlType& a, const SqlType& b) {
  if (a == Kind::kDate) return b;
  if (b == Kind::kDate) return a;
  const SqlType zoned = SqlType::ZonedTime();
  return a == zoned || b == zoned ? zoned : SqlType{Kind::kTimestamp};
}

// The interval that holds both: from the larger unit of the two to the smaller.
SqlType CommonInterval(const SqlType& a, const SqlType& b) {
  const int first = std::min(a.first_unit(), b.first_unit());
  const int last = std::max(a.last_unit(), b.last_unit());
  return a == Kind::kMonths ? SqlType::MonthsOf(first, last) : SqlType::IntervalOf(first, last);
}

std::string IntervalName(const SqlType& type) {
  static constexpr std::string_view kDays[] = {"day", "hour", "minute", "second"};
  static constexpr std::string_view kYears[] = {"year", "month"};
  const std::string_view* const units = type == Kind::kMonths ? kYears : kDays;
  const std::string_view first = units[type.first_unit()], last = units[type.last_unit()];
  return first == last ? fmt::format("interval {}", first)
                       : fmt::format("interval {} to {}", first, last);
}

}  // namespace

SqlType SqlType::Decimal(int precision, int scale) {
  return {kDecimal, std::min(precision, kMostDigits), std::min(scale, kMostDigits), {}};
}

SqlType SqlType::FromDuck(std::string_view name) {
  for (const Names& known : kNames) {
    if (known.duck == name) return {known.kind};
  }
  if (name == "TIMESTAMP WITH TIME ZONE") return ZonedTime();
  if (name == "UTINYINT") return {kSmallint};
  if (name == "USMALLINT") return {kInt};
  if (name == "UINTEGER") return {kBigint};
  if (name == "UBIGINT") return Decimal(20, 0);
  if (name == "HUGEINT") return Decimal(kMostDigits, 0);
  const size_t comma = name.find(',');
  if (name.starts_with("DECIMAL(") && comma != std::string_view::npos && name.back() == ')') {
    return Decimal(NumberIn(name.substr(8)), NumberIn(name.substr(comma + 1)));
  }
  if (name.empty()) return {};
  return ParseNested(name).value_or(SqlType{kOther, 0, 0, std::string(name)});
}

SqlType SqlType::IntervalOf(int first, int last) { return {kInterval, first, 3 - last, {}}; }

SqlType SqlType::MonthsOf(int first, int last) { return {kMonths, first, 1 - last, {}}; }

std::string SqlType::DuckName() const {
  if (kind == kDecimal) return fmt::format("DECIMAL({},{})", precision, scale);
  for (const Names& known : kNames) {
    if (known.kind == kind) return std::string(known.duck);
  }
  return name;
}

std::string SqlType::SparkName() const {
  if (kind == kDecimal) return fmt::format("decimal({},{})", precision, scale);
  if (IsInterval()) return IntervalName(*this);
  if (IsNested()) return NestedSparkName(*this);
  if (*this == ZonedTime()) return "timestamp";
  for (const Names& known : kNames) {
    if (known.kind == kind) return std::string(known.spark);
  }
  return name.empty() ? "unknown" : name;
}

SqlType AsDecimal(const SqlType& type) {
  return type.IsWhole() ? SqlType::Decimal(CountDigits(type.kind), 0) : type;
}

// Spark's DecimalType.adjustPrecisionScale: digits before the point are retained as long as six
// after it, or as many as there are, also fit.
SqlType AdjustedDecimal(int precision, int scale) {
  constexpr int kLeastScale = 6;
  if (precision <= kMostDigits) return SqlType::Decimal(precision, scale);
  const int room = kMostDigits - (precision - scale);
  return SqlType::Decimal(kMostDigits, std::max(room, std::min(scale, kLeastScale)));
}

// The table in Spark's DecimalPrecision, for operands of p1 and p2 digits, s1 and s2 of them after
// the point:
//   a + b, a - b   max(s1, s2) + max(p1 - s1, p2 - s2) + 1 digits, max(s1, s2) after the point
//   a * b          p1 + p2 + 1, s1 + s2
//   a / b          p1 - s1 + s2 + max(6, s1 + p2 + 1), max(6, s1 + p2 + 1)
//   a % b          min(p1 - s1, p2 - s2) + max(s1, s2), max(s1, s2)
SqlType DecimalResult(char operation, const SqlType& a, const SqlType& b) {
  const int whole_a = a.precision - a.scale, whole_b = b.precision - b.scale;
  const int scale = std::max(a.scale, b.scale);
  switch (operation) {
    case '*':
      return AdjustedDecimal(a.precision + b.precision + 1, a.scale + b.scale);
    case '/': {
      const int digits = std::max(6, a.scale + b.precision + 1);
      return AdjustedDecimal(whole_a + b.scale + digits, digits);
    }
    case '%':
      return AdjustedDecimal(std::min(whole_a, whole_b) + scale, scale);
    default:
      return AdjustedDecimal(std::max(whole_a, whole_b) + scale + 1, scale);
  }
}

std::optional<SqlType> CommonType(const SqlType& a, const SqlType& b) {
  if (a == b || b == Kind::kNull) return a;
  if (a == Kind::kNull) return b;
  if (a == Kind::kUnknown || b == Kind::kUnknown) return SqlType{};
  if (a.IsNumber() && b.IsNumber()) return CommonNumber(a, b);
  if (a.IsTime() && b.IsTime()) return CommonTime(a, b);
  if (a.IsInterval() && a.kind == b.kind) return CommonInterval(a, b);
  if (a == Kind::kText) return CommonWithText(b);
  if (b == Kind::kText) return CommonWithText(a);
  if (a.IsNested() && b.IsNested()) return CommonNested(a, b, CommonType);
  // Other types that are known only by name are left to DuckDB.
  if (a == Kind::kOther && b == Kind::kOther && !a.IsNested() && !b.IsNested()) return SqlType{};
  return std::nullopt;
}

std::optional<SqlType> TightType(const SqlType& a, const SqlType& b) {
  if (a == b || b == Kind::kNull) return a;
  if (a == Kind::kNull) return b;
  if (a == Kind::kUnknown || b == Kind::kUnknown) return SqlType{};
  if (a.IsNested() && b.IsNested()) return CommonNested(a, b, TightType);
  if (a.IsTime() && b.IsTime()) return SqlType{Kind::kTimestamp};
  const bool exact = a.IsNumber() && b.IsNumber() && a != Kind::kDecimal && b != Kind::kDecimal;
  if (exact) return SqlType{std::max(a.kind, b.kind)};
  return std::nullopt;
}

std::optional<SqlType> CommonType(const std::vector<SqlType>& types) {
  // Pairs are combined from the left, and text takes the type of its partner. With all texts in
  // front, the result does not depend on where in the list a text is.
  std::vector<SqlType> ordered = types;
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const SqlType& type) { return type == Kind::kText; });
  std::optional<SqlType> common = SqlType{Kind::kNull};
  for (const SqlType& type : ordered) {
    if (common) common = CommonType(*common, type);
  }
  return common;
}

}  // namespace protium
