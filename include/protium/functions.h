// SPDX-License-Identifier: Apache-2.0
// Makes tasks from plain functions of a batch, a row, or all rows of a group, for Program::tasks
// and DataFrame::Map(). They run in worker processes, on whichever worker is free, so a function
// must not depend on which rows it saw before. Implemented by the room gang.
#pragma once

#include <arrow/api.h>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "protium/status.h"
#include "protium/task.h"

namespace protium {

using RowBatch = std::shared_ptr<arrow::RecordBatch>;
// Maps some rows to others. The result has the columns of MapTask::output, in their order, and any
// number of rows; nullptr means none.
using BatchFunction = std::function<Result<RowBatch>(const RowBatch& rows)>;
// Makes the function in each worker, once, before its first rows: this is where to open a model or
// a dictionary. context.config() is MapTask::config. An error fails the run.
using MakeBatchFunction = std::function<Result<BatchFunction>(TaskContext& context)>;

// Calls the function with the rows as they arrive, a few thousand at a time.
Task EachBatch(MakeBatchFunction make);
Task EachBatch(BatchFunction function);

// For Groups::Map(): calls the function once per group with all its rows in one batch, which is
// held in memory.
Task EachGroup(MakeBatchFunction make);
Task EachGroup(BatchFunction function);

namespace cells {

// The signature of a lambda or function object that is not overloaded.
template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class C, class... A>
struct Signature<R (C::*)(A...) const> {
  using Result = R;
  using Arguments = std::tuple<std::decay_t<A>...>;
};
template <class R, class... A>
struct Signature<R (*)(A...)> {
  using Result = R;
  using Arguments = std::tuple<std::decay_t<A>...>;
};

template <class T>
struct Optional {
  using Value = T;
  static constexpr bool kIs = false;
};
template <class T>
struct Optional<std::optional<T>> {
  using Value = T;
  static constexpr bool kIs = true;
};
template <class T>
struct Outcome {
  using Value = T;
  static constexpr bool kIs = false;
};
template <class T>
struct Outcome<Result<T>> {
  using Value = T;
  static constexpr bool kIs = true;
};

// The Arrow column type that holds cells of a C++ type.
template <class T>
struct Column;
template <>
struct Column<bool> : std::type_identity<arrow::BooleanType> {};
template <>
struct Column<int64_t> : std::type_identity<arrow::Int64Type> {};
template <>
struct Column<double> : std::type_identity<arrow::DoubleType> {};
template <>
struct Column<std::string_view> : std::type_identity<arrow::StringType> {};
template <>
struct Column<std::string> : std::type_identity<arrow::StringType> {};

// Returns the column `name` of `rows` as `type`: whole numbers and float32 are widened. Any other
// type is a fault (kUsage) that names the column.
Result<std::shared_ptr<arrow::Array>> ReadColumn(const arrow::RecordBatch& rows,
                                                 const std::string& name,
                                                 const std::shared_ptr<arrow::DataType>& type);
// Returns the columns of `output`: `made` for the one called `name`, the others from `rows`. A
// column that is missing or of another type is a fault (kUsage).
Result<RowBatch> WithColumn(const RowBatch& rows, const std::string& name,
                            std::shared_ptr<arrow::Array> made, const SchemaPtr& output);

// One column as cells of type T or std::optional of a type.
template <class T>
class Cells {
 public:
  using Value = typename Optional<T>::Value;
  using Array = typename arrow::TypeTraits<typename Column<Value>::type>::ArrayType;

  Status Read(const arrow::RecordBatch& rows, const std::string& name) {
    const auto type = arrow::TypeTraits<typename Column<Value>::type>::type_singleton();
    PT_LET(array_, ReadColumn(rows, name, type));
    return Status::OK();
  }
  // Whether the function can be called for this row: a plain parameter takes no NULL.
  bool Known(int64_t row) const { return Optional<T>::kIs || array_->IsValid(row); }
  T At(int64_t row) const {
    if constexpr (Optional<T>::kIs) {
      if (array_->IsNull(row)) return std::nullopt;
    }
    return Value(static_cast<const Array&>(*array_).GetView(row));
  }

 private:
  std::shared_ptr<arrow::Array> array_;
};

template <class F, class... A>
class RowFunction {
 public:
  using Returned = Outcome<typename Signature<F>::Result>;
  using Value = typename Optional<typename Returned::Value>::Value;
  using Builder = typename arrow::TypeTraits<typename Column<Value>::type>::BuilderType;

  RowFunction(std::string output, Columns inputs, F function)
      : output_(std::move(output)), inputs_(std::move(inputs)), function_(std::move(function)) {}

  Result<RowBatch> Call(const RowBatch& rows, const SchemaPtr& output) const {
    return Call(rows, output, std::index_sequence_for<A...>());
  }

 private:
  template <size_t... I>
  Result<RowBatch> Call(const RowBatch& rows, const SchemaPtr& output,
                        std::index_sequence<I...>) const {
    std::tuple<Cells<A>...> cells;
    Status read;
    ((read = read.ok() ? std::get<I>(cells).Read(*rows, inputs_[I]) : read), ...);
    PT_TRY(read);
    Builder made;
    PT_TRY(made.Reserve(rows->num_rows()));
    for (int64_t row = 0; row < rows->num_rows(); ++row) {
      if ((std::get<I>(cells).Known(row) && ...)) {
        PT_TRY(Append(function_(std::get<I>(cells).At(row)...), made));
      } else {
        PT_TRY(made.AppendNull());
      }
    }
    PT_LET(auto column, made.Finish());
    return WithColumn(rows, output_, std::move(column), output);
  }

  template <class R>
  static Status Append(R&& returned, Builder& made) {
    if constexpr (Returned::kIs) {
      PT_TRY(returned.status());
      return AppendValue(*returned, made);
    } else {
      return AppendValue(returned, made);
    }
  }
  template <class V>
  static Status AppendValue(const V& value, Builder& made) {
    if constexpr (Optional<typename Returned::Value>::kIs) {
      return value ? made.Append(*value) : made.AppendNull();
    } else {
      return made.Append(value);
    }
  }

  const std::string output_;
  const Columns inputs_;
  const F function_;
};

template <class F, class... A>
BatchFunction Bind(std::string output, Columns inputs, F function, SchemaPtr schema,
                   std::type_identity<std::tuple<A...>>) {
  auto rows = std::make_shared<const RowFunction<F, A...>>(std::move(output), std::move(inputs),
                                                           std::move(function));
  return [rows, schema](const RowBatch& batch) { return rows->Call(batch, schema); };
}

// Refuses (kUsage) `inputs` if their number differs from the function's number of parameters.
Status CheckInputs(const std::string& output, const Columns& inputs, size_t parameters);

}  // namespace cells

// Calls `function` for every row with the cells of the columns `inputs`, and puts the result into
// the column `output`; the other columns of MapTask::output are taken from the rows:
//
//   .tasks = {{"speed", EachRow("speed", {"distance", "air_time"},
//                               [](double miles, double minutes) { return miles / minutes; })}}
//   flights.Map({.task = "speed", .adds = arrow::schema({arrow::field("speed",
//   arrow::float64())})})
//
// Parameters are bool, int64_t, double or std::string_view, or std::optional of these: a plain one
// is never NULL, because a NULL there makes the result NULL without a call. The function returns
// one of these (std::string for text), a std::optional, or a Result of either, whose error fails
// the run.
template <class F>
Task EachRow(std::string output, Columns inputs, F function) {
  using Arguments = typename cells::Signature<F>::Arguments;
  return EachBatch([=](TaskContext& context) -> Result<BatchFunction> {
    PT_TRY(cells::CheckInputs(output, inputs, std::tuple_size_v<Arguments>));
    return cells::Bind(output, inputs, function, context.output_schema(),
                       std::type_identity<Arguments>());
  });
}

}  // namespace protium
