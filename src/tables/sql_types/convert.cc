// SPDX-License-Identifier: Apache-2.0
#include "sql_types/convert.h"

#include <utility>

#include "sql_tree/tree.h"
#include "sql_types/nested_values.h"

namespace protium {
namespace {

constexpr int kDigitsOfDouble = 15;  // A double holds every number of this many digits.

Json Called(const char* function, Json value) {
  const Json like = value;
  return tree::Call(function, Json::array({std::move(value)}), like);
}

Json IntervalText(Json value, const SqlType& from) {
  const Json like = value;
  return tree::Call(from == SqlType::kMonths ? "pt_months_text" : "pt_interval_text",
                    Json::array({std::move(value), tree::WholeConstant(from.first_unit()),
                                 tree::WholeConstant(from.last_unit())}),
                    like);
}

Json AsText(Json value, const SqlType& from) {
  switch (from.kind) {
    case SqlType::kText:
      return value;
    case SqlType::kDouble:
      return Called("pt_double_text", std::move(value));
    case SqlType::kFloat:
      return Called("pt_float_text", std::move(value));
    case SqlType::kDecimal:
      // DuckDB writes .5 for a DECIMAL(1,1), which has no digit before the point.
      if (from.precision == from.scale) return Called("pt_fraction_text", std::move(value));
      return tree::Cast(std::move(value), {SqlType::kText});
    case SqlType::kTimestamp:  // A zone, which is UTC, would be written with it.
      return tree::Cast(tree::Cast(std::move(value), from), {SqlType::kText});
    case SqlType::kInterval:
    case SqlType::kMonths:
      return IntervalText(std::move(value), from);
    case SqlType::kBinary:
      return Called("pt_text_of_bytes", std::move(value));
    case SqlType::kOther:
      if (from.IsNested()) return NestedText(std::move(value), from);
      return Called("pt_to_text", std::move(value));
    case SqlType::kUnknown:
      return Called("pt_to_text", std::move(value));
    default:
      return tree::Cast(std::move(value), {SqlType::kText});
  }
}

// The function that reads text as Spark does; nullptr where DuckDB's own cast does.
const char* FromTextTo(SqlType::Kind kind, bool tried) {
  switch (kind) {
    case SqlType::kTinyint:
      return tried ? "pt_try_tinyint" : "pt_to_tinyint";
    case SqlType::kSmallint:
      return tried ? "pt_try_smallint" : "pt_to_smallint";
    case SqlType::kInt:
      return tried ? "pt_try_integer" : "pt_to_integer";
    case SqlType::kBigint:
      return tried ? "pt_try_bigint" : "pt_to_bigint";
    case SqlType::kFloat:
      return tried ? "pt_try_float" : "pt_to_float";
    case SqlType::kDouble:
      return tried ? "pt_try_double" : "pt_to_double";
    case SqlType::kBoolean:
      return tried ? "pt_try_boolean" : "pt_to_boolean";
    case SqlType::kDate:
      return tried ? "pt_try_date" : "pt_to_date";
    case SqlType::kTimestamp:
      return tried ? "pt_try_timestamp" : "pt_to_timestamp";
    case SqlType::kBinary:
      return "pt_bytes";
    default:
      return nullptr;
  }
}

// Converts a time to seconds since 1970, and a number of seconds to a time; an interval to a number
// of its last unit.
Json AsSeconds(Json value, const SqlType& to) {
  value = tree::Cast(std::move(value), {SqlType::kTimestamp});
  if (to.IsWhole()) return Called("pt_whole_seconds", std::move(value));
  return Called("pt_real_seconds", std::move(value));
}

Json AsTime(Json value, const SqlType& from, bool tried) {
  if (from.IsWhole()) {
    return Called("pt_time_of_whole", tree::Cast(std::move(value), {SqlType::kBigint}));
  }
  if (from == SqlType::kDecimal) {
    return Called("pt_time_of_digits", tree::Cast(std::move(value), {SqlType::kText}));
  }
  return Called(tried ? "pt_try_time_of_real" : "pt_time_of_real",
                tree::Cast(std::move(value), {SqlType::kDouble}));
}

Json AsUnits(Json value, const SqlType& from) {
  static constexpr const char* kUnits[] = {"pt_interval_days", "pt_interval_hours",
                                           "pt_interval_minutes", "pt_interval_seconds"};
  if (from == SqlType::kInterval) return Called(kUnits[from.last_unit()], std::move(value));
  return Called(from.last_unit() == 0 ? "pt_interval_years" : "pt_interval_months",
                std::move(value));
}

// Converts to a whole number: cuts off the fraction, where DuckDB's cast would round.
Json AsWhole(Json value, const SqlType& from, const SqlType& to, bool tried) {
  if (from == SqlType::kTimestamp) value = AsSeconds(std::move(value), to);
  if (from.IsInterval()) value = AsUnits(std::move(value), from);
  if (from.IsReal()) value = tree::Cast(std::move(value), {SqlType::kDouble}, tried);
  if (from.IsReal() || from == SqlType::kDecimal) value = Called("trunc", std::move(value));
  // Doubles near the largest BIGINT are rounded in the cast, not in the comparison with its limits.
  if (from.IsReal()) value = tree::Cast(std::move(value), {SqlType::kBigint}, tried);
  return tree::Cast(std::move(value), to, tried);
}

// Converts a double to the decimal that its shortest text denotes, as Spark does (BigDecimal of
// toString); NaN and infinities have none. Text is converted to plain digits first, because DuckDB
// rounds twice if it has an exponent.
Json AsDigits(Json value, const SqlType& from, bool tried) {
  if (from.IsReal()) {
    value = Called("pt_finite_text", tree::Cast(std::move(value), {SqlType::kDouble}));
  } else if (from != SqlType::kText) {
    return value;
  }
  return Called(tried ? "pt_try_text_to_digits" : "pt_text_to_digits", std::move(value));
}

}  // namespace

Json Converted(Json value, const SqlType& from, const SqlType& to, bool tried) {
  // NULL has no text, number or date to read: a plain cast gives it its type.
  if (from == SqlType::kNull) return tree::Cast(std::move(value), to);
  if (from == to && from.IsNested()) return value;
  if (from.IsNested() && to.IsNested()) return ConvertedParts(std::move(value), from, to, tried);
  if (to == SqlType::kText) return AsText(std::move(value), from);
  if (from == SqlType::kText) {
    const char* const function = FromTextTo(to.kind, tried);
    if (function != nullptr) return Called(function, std::move(value));
  }
  if (to == SqlType::kTimestamp && from.IsNumber()) return AsTime(std::move(value), from, tried);
  if (from == SqlType::kTimestamp && (to.IsReal() || to == SqlType::kDecimal)) {
    return Converted(AsSeconds(std::move(value), to), {SqlType::kDouble}, to, tried);
  }
  if (to == SqlType::kDecimal) {
    // DuckDB makes 0.01 of true where a DECIMAL(2,2) has no digit for it.
    if (from == SqlType::kBoolean) value = tree::Cast(std::move(value), {SqlType::kInt});
    if (from == SqlType::kInterval && from.last_unit() == 3) {
      value = Called("pt_interval_decimal", std::move(value));
    } else if (from.IsInterval()) {
      value = AsUnits(std::move(value), from);
    }
    value = AsDigits(std::move(value), from, tried);
  }
  if (to.IsWhole()) return AsWhole(std::move(value), from, to, tried);
  // DuckDB divides the digits by a power of ten, which rounds twice if they do not fit a double.
  // Reading the text rounds once.
  if (from == SqlType::kDecimal && to.IsReal() && from.precision > kDigitsOfDouble) {
    value = AsText(std::move(value), from);
  }
  return tree::Cast(std::move(value), to, tried);
}

// What is unknown is left alone: a wrong cast would be worse than DuckDB's own rules.
void Coerce(Json& node, const SqlType& from, const SqlType& to) {
  if (from == to || from == SqlType::kUnknown || to == SqlType::kUnknown || to == SqlType::kNull) {
    return;
  }
  // Only a time with a zone may have another type in DuckDB.
  const bool times = from == SqlType::kTimestamp && to == SqlType::kTimestamp;
  if (times && from != SqlType::ZonedTime()) return;
  tree::Replace(node, Converted(tree::Take(node), from, to));
}

void TightenBesideDecimal(Json& node, SqlType& type, const SqlType& beside) {
  const int digits = tree::WholeDigits(node);
  if (digits == 0 || beside != SqlType::kDecimal || !type.IsWhole()) return;
  const SqlType tight = SqlType::Decimal(digits, 0);
  Coerce(node, type, tight);
  type = tight;
}

}  // namespace protium
