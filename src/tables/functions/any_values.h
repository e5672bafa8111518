// SPDX-License-Identifier: Apache-2.0
// Values of any type, including lists, maps and structs, read in place from DuckDB's vectors; and
// functions of any number of such arguments. Such a function derives Spark's types from DuckDB's,
// so its arguments are cast to Spark's types beforehand (sql_types/nested_calls.cc).
#pragma once

#include <duckdb.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "functions/row_function.h"

namespace protium {

// A vector with its type, and the vectors within it: the elements of a list, the entries of a map,
// the fields of a struct. Valid as long as the chunk that it belongs to.
class AnyColumn {
 public:
  explicit AnyColumn(duckdb_vector vector);

  // DUCKDB_TYPE_...; for a decimal also `scale` and `width`.
  duckdb_type type() const { return type_; }
  uint8_t scale() const { return scale_; }
  uint8_t width() const { return width_; }
  const std::vector<AnyColumn>& children() const { return children_; }
  // The names of a struct's fields.
  const std::vector<std::string>& names() const { return names_; }

 private:
  friend class AnyValue;
  void ReadParts(duckdb_vector vector, duckdb_logical_type type);

  duckdb_type type_, stored_;  // `stored_`: the whole number type that stores a decimal.
  uint8_t scale_ = 0, width_ = 0;
  void* data_;
  uint64_t* validity_;
  std::vector<AnyColumn> children_;
  std::vector<std::string> names_;
};

// One value of a column. Call only the accessors that match the column's type.
class AnyValue {
 public:
  AnyValue(const AnyColumn& column, idx_t row) : column_(&column), row_(row) {}

  const AnyColumn& column() const { return *column_; }
  duckdb_type type() const { return column_->type_; }
  bool null() const {
    if (column_->type_ == DUCKDB_TYPE_SQLNULL) return true;
    return column_->validity_ != nullptr && !duckdb_validity_row_is_valid(column_->validity_, row_);
  }
  template <class Value>
  Value As() const {
    return static_cast<const Value*>(column_->data_)[row_];
  }
  // For a VARCHAR or a BLOB.
  std::string_view text() const {
    return duck::ViewText(static_cast<duckdb_string_t*>(column_->data_)[row_]);
  }
  // For a whole number of 8 to 64 bits, a date's days or a timestamp's microseconds.
  int64_t whole() const;
  // The digits of a decimal, without its point.
  __int128 digits() const;

  // For a list or a map: the number of elements, and each of them.
  idx_t size() const { return As<duckdb_list_entry>().length; }
  AnyValue element(idx_t i) const {
    return {column_->children_[0], As<duckdb_list_entry>().offset + i};
  }
  AnyValue key(idx_t i) const { return element(i).field(0); }
  AnyValue value(idx_t i) const { return element(i).field(1); }
  // For a struct.
  AnyValue field(size_t i) const { return {column_->children_[i], row_}; }

 private:
  const AnyColumn* column_;
  idx_t row_;
};

// Writes a decimal with `scale` digits after the point as Spark does: 1.50.
std::string DecimalText(__int128 digits, int scale);

// Whether the column has a type that Spark has, at any depth. Unsigned and 128-bit numbers, times
// of day and intervals do not count.
bool IsSparkType(const AnyColumn& column);

namespace cells {

void RunAny(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output,
            void (*each)(duckdb_function_info, std::span<const AnyColumn>, idx_t, duckdb_vector));

template <class Call>
struct AnySignature;

template <class Result, class State>
struct AnySignature<std::optional<Result> (*)(State&, std::span<const AnyValue>)> {
  static duck::Type Type() { return Cell<Result>::Type(); }

  template <auto Call>
  static void Rows(duckdb_function_info info, std::span<const AnyColumn> columns, idx_t rows,
                   duckdb_vector output) {
    State state;
    std::vector<AnyValue> values;
    for (idx_t row = 0; row < rows; ++row) {
      values.clear();
      for (const AnyColumn& column : columns) values.emplace_back(column, row);
      const std::optional<Result> value = Call(state, values);
      if (!state.error.empty()) {
        return duckdb_scalar_function_set_error(info, state.error.c_str());
      }
      WriteOrNull(output, row, value);
    }
  }

  template <auto Call>
  static void Run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    RunAny(info, input, output, Rows<Call>);
  }
};

}  // namespace cells

// A function of any number of arguments of any types, including nulls, as it is registered.
struct AnyFunction {
  const char* name;
  duck::Type (*type)();
  duckdb_scalar_function_t run;
};

// Makes one from a function: std::optional<int32_t> Hash(Chunk&, std::span<const AnyValue>).
template <auto Call>
constexpr AnyFunction AsAnyFunction(const char* name) {
  using Signature = cells::AnySignature<decltype(Call)>;
  return {name, Signature::Type, Signature::template Run<Call>};
}

// Makes the functions known to the connection's database.
Status RegisterAnyFunctions(const duck::Connection& connection,
                            std::span<const AnyFunction> functions);

}  // namespace protium
