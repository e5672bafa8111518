// SPDX-License-Identifier: Apache-2.0
#include "functions/decimal_functions.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "java/decimal_arithmetic.h"

// DuckDB's decimals are whole numbers with a scale in their type. Operands may have any width and
// scale, so the parameters are ANY, and the storage is looked up for each chunk.

namespace protium {
namespace {

using ScalarFunction = duck::Owned<duckdb_scalar_function, duckdb_destroy_scalar_function>;

constexpr int kScales = 39;

template <class Number>
Number At(duckdb_vector vector, idx_t row) {
  return static_cast<const Number*>(duckdb_vector_get_data(vector))[row];
}

// A column of decimals, or of whole numbers (digits to round to). DuckDB stores a decimal in the
// smallest integer that holds its width.
struct Operand {
  duckdb_vector vector;
  duckdb_type storage = DUCKDB_TYPE_INVALID;
  int scale = 0;

  explicit Operand(duckdb_vector from) : vector(from) {
    const duck::Type type(duckdb_vector_get_column_type(from));
    storage = duckdb_get_type_id(type.get());
    if (storage != DUCKDB_TYPE_DECIMAL) return;
    scale = duckdb_decimal_scale(type.get());
    storage = duckdb_decimal_internal_type(type.get());
  }

  bool Holds(idx_t row) const {
    uint64_t* const validity = duckdb_vector_get_validity(vector);
    return validity == nullptr || duckdb_validity_row_is_valid(validity, row);
  }

  __int128 Value(idx_t row) const {
    switch (storage) {
      case DUCKDB_TYPE_SMALLINT:
        return At<int16_t>(vector, row);
      case DUCKDB_TYPE_INTEGER:
        return At<int32_t>(vector, row);
      case DUCKDB_TYPE_BIGINT:
        return At<int64_t>(vector, row);
      default: {
        const auto wide = At<duckdb_hugeint>(vector, row);
        return static_cast<__int128>(wide.upper) << 64 | wide.lower;
      }
    }
  }
};

// The operations of RoundDecimalNumber; all others are ComputeDecimal's.
bool Rounds(char operation) {
  return std::string_view("refc").find(operation) != std::string_view::npos;
}

void SetNull(duckdb_vector vector, idx_t row) {
  duckdb_vector_ensure_validity_writable(vector);
  duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
}

const char* FormatFault(DecimalFault fault) {
  return fault == DecimalFault::kZero ? "division by zero"
                                      : "overflow: the number does not fit a decimal of 38 digits";
}

void Compute(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const int scale = *static_cast<const int*>(duckdb_scalar_function_get_extra_info(info));
  const idx_t rows = duckdb_data_chunk_get_size(input);
  const duckdb_vector operations = duckdb_data_chunk_get_vector(input, 0);
  const Operand a(duckdb_data_chunk_get_vector(input, 1));
  const Operand b(duckdb_data_chunk_get_vector(input, 2));
  auto* const result = static_cast<duckdb_hugeint*>(duckdb_vector_get_data(output));
  for (idx_t row = 0; row < rows; ++row) {
    if (!a.Holds(row) || !b.Holds(row)) {
      SetNull(output, row);
      continue;
    }
    auto text = At<duckdb_string_t>(operations, row);
    // The first argument is one of our own literals and never null or empty.
    const char operation = *duckdb_string_t_data(&text);
    const bool tried = duckdb_string_t_length(text) > 1;  // +? instead of +
    const DecimalNumber first{a.Value(row), a.scale};
    const DecimalAnswer answer =
        Rounds(operation)
            ? RoundDecimalNumber(operation, first, static_cast<int>(b.Value(row)), scale)
            : ComputeDecimal(operation, first, {b.Value(row), b.scale}, scale);
    if (answer.fault != DecimalFault::kNone && tried) {
      SetNull(output, row);
      continue;
    }
    if (answer.fault != DecimalFault::kNone) {
      duckdb_scalar_function_set_error(info, FormatFault(answer.fault));
      return;
    }
    result[row] = {static_cast<uint64_t>(answer.value), static_cast<int64_t>(answer.value >> 64)};
  }
}

// Static, since DuckDB stores pointers to them as the functions' extra information.
const std::array<int, kScales>& Scales() {
  static const auto scales = [] {
    std::array<int, kScales> all{};
    for (int i = 0; i < kScales; ++i) all[i] = i;
    return all;
  }();
  return scales;
}

}  // namespace

Status RegisterDecimalFunctions(const duck::Connection& connection) {
  const duck::Type text(duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR));
  const duck::Type any(duckdb_create_logical_type(DUCKDB_TYPE_ANY));
  for (const int& scale : Scales()) {
    const ScalarFunction function(duckdb_create_scalar_function());
    const duck::Type result(duckdb_create_decimal_type(38, static_cast<uint8_t>(scale)));
    const std::string name = fmt::format("pt_decimal_{}", scale);
    duckdb_scalar_function_set_name(function.get(), name.c_str());
    for (const duck::Type* type : {&text, &any, &any}) {
      duckdb_scalar_function_add_parameter(function.get(), type->get());
    }
    duckdb_scalar_function_set_return_type(function.get(), result.get());
    duckdb_scalar_function_set_extra_info(function.get(), const_cast<int*>(&scale), nullptr);
    duckdb_scalar_function_set_function(function.get(), Compute);
    if (duckdb_register_scalar_function(connection.get(), function.get()) != DuckDBSuccess) {
      return Status::UnknownError("cannot register the function ", name);
    }
  }
  return Status::OK();
}

}  // namespace protium
