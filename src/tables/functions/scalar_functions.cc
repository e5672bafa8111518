// SPDX-License-Identifier: Apache-2.0
#include "functions/scalar_functions.h"

#include <string>

#include "base/strict_math.h"
#include "functions/distinct_estimate.h"
#include "functions/moment_functions.h"
#include "functions/themes.h"
#include "java/decimal_arithmetic.h"
#include "java/number_text.h"

namespace protium {
namespace {

using ScalarFunction = duck::Owned<duckdb_scalar_function, duckdb_destroy_scalar_function>;
using FunctionSet = duck::Owned<duckdb_scalar_function_set, duckdb_destroy_scalar_function_set>;

struct Rule {
  bool to_even;
};
// Static, since DuckDB stores a pointer to the rule as the function's extra information.
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

// Digits after the point of the decimals that pt_round takes.
constexpr uint8_t kDecimalScale = 10;

// Rounded to no digits after the point, decimals become whole numbers.
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
      const std::string text = JavaText(value[row]);
      duckdb_vector_assign_string_element_len(output, row, text.data(), text.size());
    } else {
      duckdb_vector_ensure_validity_writable(output);
      duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
    }
  }
}

void CubeRoots(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const duckdb_vector values = duckdb_data_chunk_get_vector(input, 0);
  const auto* value = static_cast<const double*>(duckdb_vector_get_data(values));
  auto* const result = static_cast<double*>(duckdb_vector_get_data(output));
  const idx_t rows = duckdb_data_chunk_get_size(input);
  for (idx_t row = 0; row < rows; ++row) {
    result[row] = Valid(values, row) ? StrictCbrt(value[row]) : 0;
    if (Valid(values, row)) continue;
    duckdb_vector_ensure_validity_writable(output);
    duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
  }
}

// Registers a function whose arguments all have the same type.
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
