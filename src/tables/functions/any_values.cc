// SPDX-License-Identifier: Apache-2.0
#include "functions/any_values.h"

#include <algorithm>

namespace protium {
namespace {

using ScalarFunction = duck::Owned<duckdb_scalar_function, duckdb_destroy_scalar_function>;

std::string TakeName(char* name) {
  std::string taken = name == nullptr ? "" : name;
  duckdb_free(name);
  return taken;
}

}  // namespace

AnyColumn::AnyColumn(duckdb_vector vector)
    : data_(duckdb_vector_get_data(vector)), validity_(duckdb_vector_get_validity(vector)) {
  const duck::Type type(duckdb_vector_get_column_type(vector));
  type_ = stored_ = duckdb_get_type_id(type.get());
  ReadParts(vector, type.get());
}

void AnyColumn::ReadParts(duckdb_vector vector, duckdb_logical_type type) {
  switch (type_) {
    case DUCKDB_TYPE_DECIMAL:
      scale_ = duckdb_decimal_scale(type);
      width_ = duckdb_decimal_width(type);
      stored_ = duckdb_decimal_internal_type(type);
      return;
    case DUCKDB_TYPE_LIST:
    case DUCKDB_TYPE_MAP:
      children_.emplace_back(duckdb_list_vector_get_child(vector));
      return;
    case DUCKDB_TYPE_STRUCT:
      for (idx_t i = 0; i < duckdb_struct_type_child_count(type); ++i) {
        names_.push_back(TakeName(duckdb_struct_type_child_name(type, i)));
        children_.emplace_back(duckdb_struct_vector_get_child(vector, i));
      }
      return;
    default:
      return;
  }
}

int64_t AnyValue::whole() const {
  switch (column_->stored_) {
    case DUCKDB_TYPE_TINYINT:
      return As<int8_t>();
    case DUCKDB_TYPE_SMALLINT:
      return As<int16_t>();
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_DATE:
      return As<int32_t>();
    default:
      return As<int64_t>();
  }
}

__int128 AnyValue::digits() const {
  if (column_->stored_ != DUCKDB_TYPE_HUGEINT) return whole();
  const auto wide = As<duckdb_hugeint>();
  return (static_cast<__int128>(wide.upper) << 64) | wide.lower;
}

std::string DecimalText(__int128 digits, int scale) {
  const bool minus = digits < 0;
  auto rest = static_cast<unsigned __int128>(digits);
  if (minus) rest = -rest;
  std::string text;
  for (int written = 0; rest > 0 || written <= scale; ++written) {
    if (written == scale && scale > 0) text += '.';
    text += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  }
  if (minus) text += '-';
  return {text.rbegin(), text.rend()};
}

bool IsSparkType(const AnyColumn& column) {
  switch (column.type()) {
    case DUCKDB_TYPE_SQLNULL:
    case DUCKDB_TYPE_BOOLEAN:
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_DECIMAL:
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB:
    case DUCKDB_TYPE_DATE:
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return true;
    case DUCKDB_TYPE_LIST:
    case DUCKDB_TYPE_MAP:
    case DUCKDB_TYPE_STRUCT:
      return std::ranges::all_of(column.children(), IsSparkType);
    default:
      return false;
  }
}

void cells::RunAny(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output,
                   void (*each)(duckdb_function_info, std::span<const AnyColumn>, idx_t,
                                duckdb_vector)) {
  std::vector<AnyColumn> columns;
  for (idx_t i = 0; i < duckdb_data_chunk_get_column_count(input); ++i) {
    columns.emplace_back(duckdb_data_chunk_get_vector(input, i));
  }
  if (!std::ranges::all_of(columns, IsSparkType)) {
    return duckdb_scalar_function_set_error(
        info, "a value has a type that Spark does not have; cast it to a type of Spark's");
  }
  each(info, columns, duckdb_data_chunk_get_size(input), output);
}

Status RegisterAnyFunctions(const duck::Connection& connection,
                            std::span<const AnyFunction> functions) {
  for (const AnyFunction& given : functions) {
    const ScalarFunction function(duckdb_create_scalar_function());
    duckdb_scalar_function_set_name(function.get(), given.name);
    duckdb_scalar_function_set_varargs(function.get(), cells::MakeType(DUCKDB_TYPE_ANY).get());
    // Nulls are arguments like any other.
    duckdb_scalar_function_set_special_handling(function.get());
    duckdb_scalar_function_set_return_type(function.get(), given.type().get());
    duckdb_scalar_function_set_function(function.get(), given.run);
    if (duckdb_register_scalar_function(connection.get(), function.get()) != DuckDBSuccess) {
      return Status::UnknownError("cannot register the function ", given.name);
    }
  }
  return Status::OK();
}

}  // namespace protium
