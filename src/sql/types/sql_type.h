// SPDX-License-Identifier: Apache-2.0
// Types of expressions as Spark's analysis in ANSI mode gives them. They decide what an operator
// means: the same text is another computation over decimals, doubles and text. The rules are those
// of AnsiTypeCoercion and DecimalPrecision in Spark's source; sql_type_test.cc and
// tests/parity/expressions.tsv hold them to Spark's answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

struct SqlType {
  enum class Kind {
    kUnknown,  // Not to be derived; rules leave such operands as they are.
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
    kTimestamp,
    kInterval,  // Of days and times of day.
    kMonths,    // An interval of months or years, which is no number of days.
    kOther,     // Lists, structures, bytes: told apart by `name` alone.
  };
  using enum Kind;

  Kind kind = kUnknown;
  int precision = 0;  // Of decimals alone, as is `scale`.
  int scale = 0;
  std::string name;  // DuckDB's name of a kOther.

  bool operator==(const SqlType&) const = default;
  bool operator==(Kind other) const { return kind == other; }

  bool IsWhole() const { return kind >= kTinyint && kind <= kBigint; }
  bool IsReal() const { return kind == kFloat || kind == kDouble; }
  bool IsNumber() const { return kind >= kTinyint && kind <= kDouble; }
  bool IsTime() const { return kind == kDate || kind == kTimestamp; }
  bool IsList() const { return kind == kOther && name.ends_with("[]"); }

  bool IsMap() const { return kind == kOther && name.starts_with("MAP(") && !IsList(); }

  // The type that DuckDB calls `name`, such as DECIMAL(10,2).
  static SqlType FromDuck(std::string_view name);
  static SqlType Decimal(int precision, int scale);
  static SqlType ListOf(const SqlType& element);
  // Of a list; unknown for all else.
  SqlType Element() const;
  // Of a map; unknown for all else.
  SqlType Key() const;
  SqlType Value() const;

  std::string DuckName() const;
  std::string SparkName() const;  // As Spark's typeof gives it.
};

struct SqlColumn {
  std::string name;
  SqlType type;
};

constexpr int kMostDigits = 38;  // Of a decimal, in both engines.

// The decimal that holds every value of a whole type; of a decimal, itself.
SqlType AsDecimal(const SqlType& type);

// A decimal of so many digits; digits behind the point give way, down to six, where they are more
// than 38.
SqlType AdjustedDecimal(int precision, int scale);

// The type of a sum, difference, product, quotient or remainder ('+' '-' '*' '/' '%') of decimals.
SqlType DecimalResult(char operation, const SqlType& a, const SqlType& b);

// The type to which both are cast where they meet, in comparisons, CASE, unions and lists; none
// where Spark refuses the pair.
std::optional<SqlType> CommonType(const SqlType& a, const SqlType& b);
std::optional<SqlType> CommonType(const std::vector<SqlType>& types);

}  // namespace protium
