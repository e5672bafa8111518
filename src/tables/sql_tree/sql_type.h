// SPDX-License-Identifier: Apache-2.0
// Types of expressions as Spark's analyser derives them in ANSI mode. They decide what an operator
// means: the same text is a different computation over decimals, doubles and text. The rules are
// those of Spark's AnsiTypeCoercion and DecimalPrecision; sql_type_test.cc and
// tests/parity/expressions.tsv compare them with Spark's results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

struct SqlColumn;

// A type, by value.
struct SqlType {
  enum class Kind {
    kUnknown,  // Unknown here; rules leave such operands to DuckDB.
    kNull,
    kBoolean,
    kTinyint,
    kSmallint,
    kInt,
    kBigint,
    kDecimal,
    kFloat,
    kDouble,
    kText,
    kDate,
    kTimestamp,  // With a zone, which is UTC, or without one: see ZonedTime().
    kInterval,   // Of days and times of day, with a fixed length; by default from days to seconds.
    kMonths,     // Of months and years, which have no fixed length; by default of both.
    kBinary,
    kOther,  // Lists, maps and structs: distinguished by `name`, which nested_type.cc reads.
  };
  using enum Kind;

  Kind kind = kUnknown;
  int precision = 0;  // All digits of a decimal; `scale` of them after the point.
  int scale = 0;      // Of an interval: `precision` is its first unit, `scale` the units omitted.
  std::string name;   // DuckDB's name of a kOther, as the functions below spell it.

  bool operator==(const SqlType&) const = default;
  bool operator==(Kind other) const { return kind == other; }

  bool IsWhole() const { return kind >= kTinyint && kind <= kBigint; }
  bool IsReal() const { return kind == kFloat || kind == kDouble; }
  bool IsNumber() const { return kind >= kTinyint && kind <= kDouble; }
  bool IsTime() const { return kind == kDate || kind == kTimestamp; }
  bool IsList() const { return kind == kOther && name.ends_with("[]"); }

  // A list of maps ends with [], too.
  bool IsMap() const { return kind == kOther && name.starts_with("MAP(") && !IsList(); }
  bool IsStruct() const { return kind == kOther && name.starts_with("STRUCT(") && !IsList(); }
  bool IsNested() const { return IsList() || IsMap() || IsStruct(); }

  // Returns the type that DuckDB calls `name`, such as DECIMAL(10,2). Unsigned types become the
  // next wider signed one and HUGEINT becomes DECIMAL(38,0), as Spark has neither; "" is unknown,
  // other names are kOther.
  static SqlType FromDuck(std::string_view name);
  // Precision and scale are capped at 38, as in Spark's DecimalType.bounded.
  static SqlType Decimal(int precision, int scale);
  // Unknown if a part is unknown. A part may be NULL: that is the type of array() and array(NULL).
  static SqlType ListOf(const SqlType& element);
  static SqlType MapOf(const SqlType& key, const SqlType& value);
  static SqlType StructOf(const std::vector<SqlColumn>& fields);
  // Spark's TIMESTAMP and its TIMESTAMP_NTZ. DuckDB has TIMESTAMP for both, except for columns of
  // files with times in UTC, which have their own type. A plain kTimestamp may be either.
  static SqlType ZonedTime() { return {kTimestamp, 1, 0, {}}; }
  static SqlType LocalTime() { return {kTimestamp, 2, 0, {}}; }

  // An interval from one unit to another: 0 day, 1 hour, 2 minute, 3 second.
  static SqlType IntervalOf(int first, int last);
  // The same for months: 0 year, 1 month.
  static SqlType MonthsOf(int first, int last);
  // The units of an interval.
  int first_unit() const { return precision; }
  int last_unit() const { return (kind == kMonths ? 1 : 3) - scale; }
  bool IsInterval() const { return kind == kInterval || kind == kMonths; }
  // For a list; unknown for everything else.
  SqlType Element() const;
  // For a map; unknown for everything else.
  SqlType Key() const;
  SqlType Value() const;
  // For a struct, in order; none for everything else.
  std::vector<SqlColumn> Fields() const;

  // For casts in DuckDB's SQL.
  std::string DuckName() const;
  std::string SparkName() const;  // What Spark's typeof() returns.
};

// A column of a table or of a query.
struct SqlColumn {
  std::string name;
  SqlType type;
};

constexpr int kMostDigits = 38;  // Of a decimal, in both engines.

// Returns the decimal that holds every value of a whole number type; any other type as it is.
SqlType AsDecimal(const SqlType& type);

// Returns a decimal with this many digits. If there are more than 38, digits after the point are
// dropped, leaving at least six of them.
SqlType AdjustedDecimal(int precision, int scale);

// Returns the result type of '+', '-', '*', '/' or '%' of two decimals.
SqlType DecimalResult(char operation, const SqlType& a, const SqlType& b);

// Returns the type to which both are cast in comparisons, CASE, unions and lists. Nullopt where
// Spark refuses the pair; unknown if one of the two is unknown.
std::optional<SqlType> CommonType(const SqlType& a, const SqlType& b);
std::optional<SqlType> CommonType(const std::vector<SqlType>& types);

// The same where Spark converts no text and loses no digit (findTightestCommonType): the common
// type of whole numbers is the wider one, with a float or double it is that; decimals of different
// digits have none. Functions of lists and maps, and comparisons of them, accept no other pairs.
std::optional<SqlType> TightType(const SqlType& a, const SqlType& b);

// Returns `type` with the field names of `like` at the same positions: comparisons and unions match
// structs by position.
SqlType NamedLike(const SqlType& type, const SqlType& like);

}  // namespace protium
