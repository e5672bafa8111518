// SPDX-License-Identifier: Apache-2.0
#include "local/functions/scalar_functions.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "local/functions/decimal_arithmetic.h"
#include "local/functions/distinct_estimate.h"
#include "local/functions/moment_functions.h"
#include "local/functions/themes.h"

// Numbers are rounded and written from their shortest decimal digits, those of Java's
// BigDecimal(Double.toString(x)); from the binary value, 2.675 would round to 2.67 where Spark says
// 2.68.

namespace protium {
namespace {

using ScalarFunction = duck::Owned<duckdb_scalar_function, duckdb_destroy_scalar_function>;
using FunctionSet = duck::Owned<duckdb_scalar_function_set, duckdb_destroy_scalar_function_set>;

// The absolute value as 0.DIGITS * 10^exponent, with the fewest digits that give it back.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

// std::to_chars without a precision gives the fewest digits that read back as the same number.
template <class Number>
Decimal Shortest(Number value) {
  char text[40];
  const auto end =
      std::to_chars(text, text + sizeof text, std::fabs(value), std::chars_format::scientific);
  Decimal decimal;
  const char* at = text;
  for (; at < end.ptr && *at != 'e'; ++at) {
    if (*at != '.') decimal.digits += *at;
  }
  const char* number = at + 1;
  if (number < end.ptr && *number == '+') ++number;
  std::from_chars(number, end.ptr, decimal.exponent);
  ++decimal.exponent;
  return decimal;
}

// Double.toString: plain between 10^-3 and 10^7, otherwise with an exponent; always a digit behind
// the point.
template <class Number>
std::string WriteAsJava(Number value) {
  if (std::isnan(value)) return "NaN";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "Infinity";
  if (value == 0) return sign + "0.0";
  Decimal decimal = Shortest(value);
  const int point = decimal.exponent;
  if (point > 7 || point < -2) {
    const std::string rest = decimal.digits.size() > 1 ? decimal.digits.substr(1) : "0";
    return sign + decimal.digits[0] + "." + rest + "E" + std::to_string(point - 1);
  }
  if (point <= 0) return sign + "0." + std::string(-point, '0') + decimal.digits;
  const auto whole = static_cast<size_t>(point);
  if (decimal.digits.size() <= whole) decimal.digits.append(whole - decimal.digits.size() + 1, '0');
  return sign + decimal.digits.substr(0, whole) + "." + decimal.digits.substr(whole);
}

// Whether cutting `digits` behind the first `keep` rounds away from zero.
bool RoundsUp(const std::string& digits, size_t keep, bool to_even) {
  if (keep >= digits.size()) return false;
  const bool half =
      digits[keep] == '5' && digits.find_first_not_of('0', keep + 1) == std::string::npos;
  if (!half || !to_even) return digits[keep] >= '5';
  return keep > 0 && (digits[keep - 1] - '0') % 2 == 1;
}

struct Rule {
  bool to_even;
};
// Static, since DuckDB keeps a pointer to the rule as the function's extra information.
constexpr Rule kAway = {false};
constexpr Rule kEven = {true};

bool Valid(duckdb_vector vector, idx_t row) {
  uint64_t* const validity = duckdb_vector_get_validity(vector);
  return validity == nullptr || duckdb_validity_row_is_valid(validity, row);
}

// Calls `round(value, digits, result)` for every row without NULL; false ends the query with an
// error.
template <class Number, class Round>
void EachRow(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output,
             Round round) {
  const duckdb_vector values = duckdb_data_chunk_get_vector(input, 0);
  const bool placed = duckdb_data_chunk_get_column_count(input) > 1;
  const duckdb_vector places = placed ? duckdb_data_chunk_get_vector(input, 1) : values;
  const auto* value = static_cast<const Number*>(duckdb_vector_get_data(values));
  const auto* place = static_cast<const int32_t*>(duckdb_vector_get_data(places));
  auto* const result = static_cast<Number*>(duckdb_vector_get_data(output));
  const idx_t rows = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < rows; ++row) {
    if (!Valid(values, row) || !Valid(places, row)) {
      duckdb_vector_ensure_validity_writable(output);
      duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
    } else if (!round(value[row], placed ? place[row] : 0, result[row])) {
      duckdb_scalar_function_set_error(info, "the rounded number does not fit 64 bits");
      return;
    }
  }
}

// Which of the two rules the function was registered with.
bool ToEven(duckdb_function_info info) {
  return static_cast<const Rule*>(duckdb_scalar_function_get_extra_info(info))->to_even;
}

void RoundDoubles(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const bool to_even = ToEven(info);
  EachRow<double>(info, input, output, [&](double value, int32_t digits, double& rounded) {
    rounded = RoundDecimal(value, digits, to_even);
    return true;
  });
}

void RoundWholes(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const bool to_even = ToEven(info);
  EachRow<int64_t>(info, input, output, [&](int64_t value, int32_t digits, int64_t& rounded) {
    return RoundWhole(value, digits, to_even, rounded);
  });
}

// Digits behind the point of the decimals that pt_round takes.
constexpr uint8_t kDecimalScale = 10;

// Rounded to no digits behind the point, decimals become whole numbers.
void RoundDecimals(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const bool to_even = ToEven(info);
  const duckdb_vector values = duckdb_data_chunk_get_vector(input, 0);
  const auto* value = static_cast<const duckdb_hugeint*>(duckdb_vector_get_data(values));
  auto* const result = static_cast<int64_t*>(duckdb_vector_get_data(output));
  const idx_t rows = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < rows; ++row) {
    if (!Valid(values, row)) {
      duckdb_vector_ensure_validity_writable(output);
      duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
      continue;
    }
    const __int128 wide = (static_cast<__int128>(value[row].upper) << 64) | value[row].lower;
    const __int128 rounded =
        RoundDecimalNumber(to_even ? 'e' : 'r', {wide, kDecimalScale}, 0, 0).value;
    if (rounded != static_cast<int64_t>(rounded)) {
      duckdb_scalar_function_set_error(info, "the rounded number does not fit 64 bits");
      return;
    }
    result[row] = static_cast<int64_t>(rounded);
  }
}

template <class Number>
void WriteNumbers(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  const duckdb_vector values = duckdb_data_chunk_get_vector(input, 0);
  const auto* value = static_cast<const Number*>(duckdb_vector_get_data(values));
  const idx_t rows = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < rows; ++row) {
    if (Valid(values, row)) {
      const std::string text = WriteAsJava(value[row]);
      duckdb_vector_assign_string_element_len(output, row, text.data(), text.size());
    } else {
      duckdb_vector_ensure_validity_writable(output);
      duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
    }
  }
}

// The C library's cbrt(27.0) is not 3, as it is in Java; a long double is precise enough.
double CubeRoot(double value) {
  return static_cast<double>(std::cbrt(static_cast<long double>(value)));
}

void CubeRoots(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const duckdb_vector values = duckdb_data_chunk_get_vector(input, 0);
  const auto* value = static_cast<const double*>(duckdb_vector_get_data(values));
  auto* const result = static_cast<double*>(duckdb_vector_get_data(output));
  const idx_t rows = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < rows; ++row) {
    result[row] = Valid(values, row) ? CubeRoot(value[row]) : 0;
    if (Valid(values, row)) continue;
    duckdb_vector_ensure_validity_writable(output);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
  }
}

// Registers a function whose arguments all have one type.
Status RegisterPlain(const duck::Connection& connection, const char* name, int arguments,
                     duckdb_type from, duckdb_type to, duckdb_scalar_function_t call) {
  const ScalarFunction function(duckdb_create_scalar_function());
  const duck::Type argument(duckdb_create_logical_type(from));
  const duck::Type result(duckdb_create_logical_type(to));
  duckdb_scalar_function_set_name(function.get(), name);
  for (int i = 0; i < arguments; ++i) {
    duckdb_scalar_function_add_parameter(function.get(), argument.get());
  }
  duckdb_scalar_function_set_return_type(function.get(), result.get());
  duckdb_scalar_function_set_function(function.get(), call);
  if (duckdb_register_scalar_function(connection.get(), function.get()) == DuckDBSuccess) {
    return Status::OK();
  }
  return Status::UnknownError("cannot register the function ", name);
}

// Argument and result of one overload; with `places` it also takes the number of digits.
struct Rounding {
  const duck::Type& from;
  const duck::Type& to;
  bool places;
  duckdb_scalar_function_t call;
};

void AddTo(const FunctionSet& set, const char* name, const Rounding& rounding, const Rule& rule) {
  const ScalarFunction function(duckdb_create_scalar_function());
  const duck::Type digits(duckdb_create_logical_type(DUCKDB_TYPE_INTEGER));
  duckdb_scalar_function_set_name(function.get(), name);
  duckdb_scalar_function_add_parameter(function.get(), rounding.from.get());
  if (rounding.places) duckdb_scalar_function_add_parameter(function.get(), digits.get());
  duckdb_scalar_function_set_return_type(function.get(), rounding.to.get());
  duckdb_scalar_function_set_extra_info(function.get(), const_cast<Rule*>(&rule), nullptr);
  duckdb_scalar_function_set_function(function.get(), rounding.call);
  duckdb_add_scalar_function_to_set(set.get(), function.get());
}

Status Register(const duck::Connection& connection, const char* name, const Rule& rule) {
  const FunctionSet set(duckdb_create_scalar_function_set(name));
  const duck::Type real(duckdb_create_logical_type(DUCKDB_TYPE_DOUBLE));
  const duck::Type whole(duckdb_create_logical_type(DUCKDB_TYPE_BIGINT));
  const duck::Type decimal(duckdb_create_decimal_type(38, kDecimalScale));
  for (const bool places : {false, true}) {
    AddTo(set, name, {real, real, places, RoundDoubles}, rule);
    AddTo(set, name, {whole, whole, places, RoundWholes}, rule);
  }
  AddTo(set, name, {decimal, whole, false, RoundDecimals}, rule);
  if (duckdb_register_scalar_function_set(connection.get(), set.get()) == DuckDBSuccess) {
    return Status::OK();
  }
  return Status::UnknownError("cannot register the function ", name);
}

}  // namespace

double RoundDecimal(double value, int32_t digits, bool to_even) {
  if (!std::isfinite(value) || value == 0) return value + 0.0;
  Decimal decimal = Shortest(value);
  const int64_t keep = int64_t{decimal.exponent} + digits;
  // Less than a tenth of the last place that is kept.
  if (keep < 0) return 0;
  if (keep >= static_cast<int64_t>(decimal.digits.size())) return value;
  const bool up = RoundsUp(decimal.digits, keep, to_even);
  // A leading zero takes the carry: 9.99 becomes 10.0.
  std::string kept = "0" + decimal.digits.substr(0, keep);
  if (up) {
    size_t at = kept.size() - 1;
    while (kept[at] == '9') kept[at--] = '0';
    ++kept[at];
  }
  // Read back as text, which gives the nearest double; arithmetic with powers of ten would round
  // again.
  const std::string text = kept + "e" + std::to_string(decimal.exponent - keep);
  double rounded = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), rounded);
  if (read.ec == std::errc::result_out_of_range) {
    rounded = decimal.exponent > 0 ? std::numeric_limits<double>::infinity() : 0;
  }
  return rounded == 0 ? 0 : std::copysign(rounded, value);
}

bool RoundWhole(int64_t value, int32_t digits, bool to_even, int64_t& rounded) {
  rounded = value;
  if (digits >= 0) return true;
  rounded = 0;
  // No 64-bit number has more than 19 digits; all round to 0.
  if (digits < -19) return true;
  __int128 unit = 1;
  for (int32_t i = digits; i < 0; ++i) unit *= 10;
  const __int128 wide = value < 0 ? -static_cast<__int128>(value) : value;
  const __int128 rest = wide % unit, below = wide / unit;
  const bool up = rest * 2 > unit || (rest * 2 == unit && (!to_even || below % 2 == 1));
  __int128 result = (below + (up ? 1 : 0)) * unit;
  if (value < 0) result = -result;
  if (result != static_cast<int64_t>(result)) return false;
  rounded = static_cast<int64_t>(result);
  return true;
}

std::string JavaText(double value) { return WriteAsJava(value); }
std::string JavaText(float value) { return WriteAsJava(value); }

Status RegisterScalarFunctions(const duck::Connection& connection) {
  PT_TRY(RegisterPlain(connection, "pt_double_text", 1, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_VARCHAR,
                       WriteNumbers<double>));
  PT_TRY(RegisterPlain(connection, "pt_float_text", 1, DUCKDB_TYPE_FLOAT, DUCKDB_TYPE_VARCHAR,
                       WriteNumbers<float>));
  PT_TRY(
      RegisterPlain(connection, "pt_cbrt", 1, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_DOUBLE, CubeRoots));
  for (const auto functions :
       {BytesFunctions(), CastFunctions(), DigestFunctions(), IntervalFunctions(), JsonFunctions(),
        LetterFunctions(), ListFunctions(), NumberFunctions(), NumberPatternFunctions(),
        RegexFunctions(), TextFunctions(), TimeFunctions(), TimeNumberFunctions(),
        TimeUnitFunctions(), UrlFunctions()}) {
    PT_TRY(RegisterRowFunctions(connection, functions));
  }
  for (const auto functions : {FormatFunctions(), HashFunctions(), JsonReaders(), JsonWriters()}) {
    PT_TRY(RegisterAnyFunctions(connection, functions));
  }
  PT_TRY(RegisterDistinctEstimate(connection));
  PT_TRY(RegisterMomentFunctions(connection));
  PT_TRY(Register(connection, "pt_round", kAway));
  return Register(connection, "pt_bround", kEven);
}

}  // namespace protium
