// SPDX-License-Identifier: Apache-2.0
// Passes a column to a template as the array class of its type.
#pragma once

#include <arrow/array/array_primitive.h>

#include <utility>

namespace protium {

// Calls `call` with the column as the class in `Arrays` that matches its type. If none does,
// returns false and calls nothing.
template <class... Arrays, class Call>
bool VisitAs(const arrow::Array& column, Call&& call) {
  const arrow::Type::type type = column.type_id();
  return (
      (type == Arrays::TypeClass::type_id && (call(static_cast<const Arrays&>(column)), true)) ||
      ...);
}

// Booleans and signed whole numbers.
template <class Call>
bool VisitWholes(const arrow::Array& column, Call&& call) {
  return VisitAs<arrow::BooleanArray, arrow::Int8Array, arrow::Int16Array, arrow::Int32Array,
                 arrow::Int64Array>(column, std::forward<Call>(call));
}

// Unsigned whole numbers.
template <class Call>
bool VisitUnsigned(const arrow::Array& column, Call&& call) {
  return VisitAs<arrow::UInt8Array, arrow::UInt16Array, arrow::UInt32Array, arrow::UInt64Array>(
      column, std::forward<Call>(call));
}

template <class Call>
bool VisitReals(const arrow::Array& column, Call&& call) {
  return VisitAs<arrow::FloatArray, arrow::DoubleArray>(column, std::forward<Call>(call));
}

}  // namespace protium
