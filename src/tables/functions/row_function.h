// SPDX-License-Identifier: Apache-2.0
// Makes a C++ function of one row a function of SQL, which DuckDB calls a chunk at a time. From the
// signature of the C++ function, templates derive the SQL types, the reading of arguments and the
// writing of results:
//
//   std::optional<std::string> Upper(Chunk& chunk, Text text);
//
// Nulls never reach it: a row with a null among its arguments is null, as is one for which it
// returns nothing. DuckDB processes several chunks at once, each in its own thread, so a function
// stores what rows share (a compiled pattern, a buffer) in its Chunk and nowhere else.
#pragma once

#include <duckdb.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "duckdb/handles.h"
#include "java/calendar.h"

namespace protium {

// What the calls for the rows of one chunk share; derived types add to it. Setting `error` ends the
// query with that text.
struct Chunk {
  std::string error;
};

// A VARCHAR, read in place; valid during the call.
using Text = std::string_view;
using Texts = std::vector<std::string>;
// A BLOB, read in place.
struct Bytes {
  std::string_view data;
};
// A BLOB to return.
struct Blob {
  std::string data;
};
// A list or a map of any type, of which only the length is read.
struct Sized {
  int64_t size = 0;
};

namespace cells {

inline duck::Type MakeType(duckdb_type type) {
  return duck::Type(duckdb_create_logical_type(type));
}

// A type that DuckDB stores in the same form as C++.
template <class Value, duckdb_type kType>
struct Plain {
  static duck::Type Type() { return MakeType(kType); }
  static Value Read(void* data, idx_t row) { return static_cast<Value*>(data)[row]; }
  static void Write(duckdb_vector vector, idx_t row, const Value& value) {
    static_cast<Value*>(duckdb_vector_get_data(vector))[row] = value;
  }
};

// How values of a type are read from and written to a vector, and which SQL type it is. Types that
// are only returned have no Read(), types that are only read no Write().
template <class Value>
struct Cell;
template <>
struct Cell<bool> : Plain<bool, DUCKDB_TYPE_BOOLEAN> {};
template <>
struct Cell<int32_t> : Plain<int32_t, DUCKDB_TYPE_INTEGER> {};
template <>
struct Cell<int64_t> : Plain<int64_t, DUCKDB_TYPE_BIGINT> {};
template <>
struct Cell<float> : Plain<float, DUCKDB_TYPE_FLOAT> {};
template <>
struct Cell<double> : Plain<double, DUCKDB_TYPE_DOUBLE> {};
template <>
struct Cell<duckdb_interval> : Plain<duckdb_interval, DUCKDB_TYPE_INTERVAL> {};
template <>
struct Cell<Day> : Plain<Day, DUCKDB_TYPE_DATE> {};
template <>
struct Cell<Moment> : Plain<Moment, DUCKDB_TYPE_TIMESTAMP> {};

template <>
struct Cell<Text> {
  static duck::Type Type() { return MakeType(DUCKDB_TYPE_VARCHAR); }
  static Text Read(void* data, idx_t row) {
    return duck::ViewText(static_cast<duckdb_string_t*>(data)[row]);
  }
  static void Write(duckdb_vector vector, idx_t row, Text text) {
    duckdb_vector_assign_string_element_len(vector, row, text.data(), text.size());
  }
};
template <>
struct Cell<std::string> : Cell<Text> {};

template <>
struct Cell<Bytes> {
  static duck::Type Type() { return MakeType(DUCKDB_TYPE_BLOB); }
  static Bytes Read(void* data, idx_t row) {
    return {duck::ViewText(static_cast<duckdb_string_t*>(data)[row])};
  }
  static void Write(duckdb_vector vector, idx_t row, Bytes bytes) {
    Cell<Text>::Write(vector, row, bytes.data);
  }
};

template <>
struct Cell<Blob> {
  static duck::Type Type() { return MakeType(DUCKDB_TYPE_BLOB); }
  static void Write(duckdb_vector vector, idx_t row, const Blob& blob) {
    Cell<Text>::Write(vector, row, blob.data);
  }
};

template <>
struct Cell<Sized> {
  static duck::Type Type() { return MakeType(DUCKDB_TYPE_ANY); }
  static Sized Read(void* data, idx_t row) {
    return {static_cast<int64_t>(static_cast<duckdb_list_entry*>(data)[row].length)};
  }
};

template <>
struct Cell<Texts> {
  static duck::Type Type() {
    return duck::Type(duckdb_create_list_type(MakeType(DUCKDB_TYPE_VARCHAR).get()));
  }
  static void Write(duckdb_vector vector, idx_t row, const Texts& texts) {
    const idx_t start = duckdb_list_vector_get_size(vector), end = start + texts.size();
    static_cast<duckdb_list_entry*>(duckdb_vector_get_data(vector))[row] = {start, texts.size()};
    duckdb_list_vector_reserve(vector, end);
    duckdb_list_vector_set_size(vector, end);
    const duckdb_vector child = duckdb_list_vector_get_child(vector);
    for (idx_t i = start; i < end; ++i) Cell<Text>::Write(child, i, texts[i - start]);
  }
};

// One argument of a chunk: flat values and, unless all are valid, bits of validity.
class Column {
 public:
  Column(duckdb_data_chunk input, idx_t index)
      : vector_(duckdb_data_chunk_get_vector(input, index)),
        data_(duckdb_vector_get_data(vector_)),
        validity_(duckdb_vector_get_validity(vector_)) {}
  bool Valid(idx_t row) const {
    return validity_ == nullptr || duckdb_validity_row_is_valid(validity_, row);
  }
  void* data() const { return data_; }

 private:
  duckdb_vector vector_;
  void* data_;
  uint64_t* validity_;
};

void SetNull(duckdb_vector vector, idx_t row);

// Writes a row's result; nothing becomes NULL.
template <class Result>
void WriteOrNull(duckdb_vector output, idx_t row, const std::optional<Result>& value) {
  if (value) {
    Cell<Result>::Write(output, row, *value);
  } else {
    SetNull(output, row);
  }
}

template <class Call>
struct Signature;

template <class Result, class State, class... Arguments>
struct Signature<std::optional<Result> (*)(State&, Arguments...)> {
  static_assert(std::is_base_of_v<Chunk, State>);

  static std::vector<duck::Type> Parameters() {
    std::vector<duck::Type> types;
    (types.push_back(Cell<Arguments>::Type()), ...);
    return types;
  }
  static duck::Type Type() { return Cell<Result>::Type(); }

  template <auto Call, size_t... I>
  static void Each(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output,
                   std::index_sequence<I...>) {
    const std::array<Column, sizeof...(I)> columns = {Column(input, I)...};
    const idx_t rows = duckdb_data_chunk_get_size(input);
    // One for each chunk: it lives as long as the call, in one thread.
    State state;
    for (idx_t row = 0; row < rows; ++row) {
      std::optional<Result> value;
      // What lies under a null is undefined, so it is not even read.
      if ((columns[I].Valid(row) && ...)) {
        value = Call(state, Cell<Arguments>::Read(columns[I].data(), row)...);
        if (!state.error.empty()) {
          return duckdb_scalar_function_set_error(info, state.error.c_str());
        }
      }
      WriteOrNull(output, row, value);
    }
  }

  template <auto Call>
  static void Run(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    Each<Call>(info, input, output, std::index_sequence_for<Arguments...>{});
  }
};

}  // namespace cells

// A function as it is registered. It has functions instead of types, so that tables of these are
// constants.
struct RowFunction {
  const char* name;
  duck::Type (*type)();
  std::vector<duck::Type> (*parameters)();
  duckdb_scalar_function_t run;
  uint32_t failing = 0;  // A bit for each argument of FailsFor().

  // For a function that sets `error`: the arguments, counted from 0, whose values can cause it.
  // They are VARCHAR or BLOB. DuckDB then calls it only for rows, and after the conditions that
  // precede it; any other function it also calls for values of a dictionary that no row has.
  constexpr RowFunction FailsFor(std::initializer_list<int> arguments) const {
    RowFunction function = *this;
    for (const int each : arguments) function.failing |= 1U << each;
    return function;
  }
};

// Makes the row function of `Call`, a function such as Upper above.
template <auto Call>
constexpr RowFunction AsRowFunction(const char* name) {
  using Signature = cells::Signature<decltype(Call)>;
  return {name, Signature::Type, Signature::Parameters, Signature::template Run<Call>};
}

// Makes the functions known to the connection's database, under their names. The table only needs
// to outlive the call.
Status RegisterRowFunctions(const duck::Connection& connection,
                            std::span<const RowFunction> functions);

}  // namespace protium
