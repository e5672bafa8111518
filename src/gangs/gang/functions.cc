// SPDX-License-Identifier: Apache-2.0
// Loops around functions of batches and groups, and the checks of their input and output.
#include "protium/functions.h"

#include <arrow/array.h>
#include <fmt/format.h>

#include "base/fault.h"
#include "base/nearest.h"
#include "column/cells.h"
#include "column/decimals.h"
#include "column/group_batches.h"
#include "column/schema.h"

namespace protium {
namespace {

// Refuses rows that would reach the next step under other names or types, since only here it is
// known which task made them.
Status CheckMade(const arrow::RecordBatch& made, const arrow::Schema& output) {
  // Names, types and order; metadata may differ.
  if (made.schema()->Equals(output, false)) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "a task's function made other columns than its output has",
               .why = fmt::format("it made {}; MapTask::output is {}", made.schema()->ToString(),
                                  output.ToString())});
}

Status CallWith(const BatchFunction& function, const RowBatch& rows, TaskContext& context) {
  PT_LET(const RowBatch made, function(rows));
  // A batch without rows is dropped, so its columns do not matter.
  if (made == nullptr || made->num_rows() == 0) return Status::OK();
  PT_TRY(CheckMade(*made, *context.output_schema()));
  return context.Emit(*made);
}

Status RunBatches(const MakeBatchFunction& make, TaskContext& context) {
  PT_LET(const BatchFunction function, make(context));
  while (true) {
    PT_LET(const RowBatch rows, context.input().Next());
    if (rows == nullptr) return Status::OK();
    PT_TRY(CallWith(function, rows, context));
  }
}

Status RunGroups(const MakeBatchFunction& make, TaskContext& context) {
  const Columns& keys = context.groups();
  if (keys.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "a task of EachGroup() got rows that are not in groups",
                 .fix = "run it by frame.GroupBy({...}).Map(...)"});
  }
  PT_LET(const BatchFunction function, make(context));
  const BatchStreamPtr groups = WholeGroups(context.input(), keys);
  while (true) {
    PT_LET(const RowBatch rows, groups->Next());
    if (rows == nullptr) return Status::OK();
    PT_LET(std::vector<int64_t> bounds, GroupStarts(*rows, keys));
    // The last group ends here: WholeGroups() splits no group.
    bounds.push_back(rows->num_rows());
    for (size_t i = 0; i + 1 < bounds.size(); ++i) {
      PT_TRY(CallWith(function, rows->Slice(bounds[i], bounds[i + 1] - bounds[i]), context));
    }
  }
}

MakeBatchFunction Always(BatchFunction function) {
  return
      [function = std::move(function)](TaskContext&) -> Result<BatchFunction> { return function; };
}

// Converts numbers to a wider type. Integers beyond 2^53 become the nearest double.
template <class From, class To>
Result<std::shared_ptr<arrow::Array>> Widen(const arrow::Array& array) {
  typename arrow::TypeTraits<To>::BuilderType wide;
  PT_TRY(wide.Reserve(array.length()));
  const auto& narrow = static_cast<const typename arrow::TypeTraits<From>::ArrayType&>(array);
  for (int64_t i = 0; i < narrow.length(); ++i) {
    if (narrow.IsNull(i)) {
      wide.UnsafeAppendNull();
    } else {
      wide.UnsafeAppend(static_cast<typename To::c_type>(narrow.Value(i)));
    }
  }
  return wide.Finish();
}

}  // namespace

Task EachBatch(MakeBatchFunction make) {
  return [make = std::move(make)](TaskContext& context) { return RunBatches(make, context); };
}

Task EachBatch(BatchFunction function) { return EachBatch(Always(std::move(function))); }

Task EachGroup(MakeBatchFunction make) {
  return [make = std::move(make)](TaskContext& context) { return RunGroups(make, context); };
}

Task EachGroup(BatchFunction function) { return EachGroup(Always(std::move(function))); }

namespace cells {

Status CheckInputs(const std::string& output, const Columns& inputs, size_t parameters) {
  if (inputs.size() == parameters) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the function for \"{}\" has {} parameters, and {} columns are "
                                   "named for them",
                                   output, parameters, inputs.size())});
}

Result<std::shared_ptr<arrow::Array>> ReadColumn(const arrow::RecordBatch& rows,
                                                 const std::string& name,
                                                 const std::shared_ptr<arrow::DataType>& type) {
  const int at = FindField(*rows.schema(), name);
  if (at < 0) {
    return Fail({.exit = Exit::kUsage,
                 .what = "a function reads column \"" + name + "\", which its table does not have",
                 .fix = Suggest(name, rows.schema()->field_names())});
  }
  const std::shared_ptr<arrow::Array>& column = rows.column(at);
  const arrow::Type::type from = column->type_id(), to = type->id();
  // Types with the same id are equal: none of those that cells can have has parameters.
  if (from == to) return column;
  if (from == arrow::Type::INT32 && to == arrow::Type::INT64) {
    return Widen<arrow::Int32Type, arrow::Int64Type>(*column);
  }
  if (from == arrow::Type::INT32 && to == arrow::Type::DOUBLE) {
    return Widen<arrow::Int32Type, arrow::DoubleType>(*column);
  }
  if (from == arrow::Type::INT64 && to == arrow::Type::DOUBLE) {
    return Widen<arrow::Int64Type, arrow::DoubleType>(*column);
  }
  if (from == arrow::Type::FLOAT && to == arrow::Type::DOUBLE) {
    return Widen<arrow::FloatType, arrow::DoubleType>(*column);
  }
  if (from == arrow::Type::DECIMAL128 && to == arrow::Type::DOUBLE) {
    return AsDoubles(static_cast<const arrow::Decimal128Array&>(*column));
  }
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("a function takes column \"{}\" as {}, and it is {}", name,
                                   TypeText(*type), TypeText(*column->type())),
               .fix = "convert it before, in the SQL or by WithColumns()"});
}

Result<RowBatch> WithColumn(const RowBatch& rows, const std::string& name,
                            std::shared_ptr<arrow::Array> made, const SchemaPtr& output) {
  arrow::ArrayVector columns;
  for (const auto& field : output->fields()) {
    auto column = field->name() == name ? made : rows->GetColumnByName(field->name());
    if (column == nullptr) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("the output of the task for \"{}\" has a column \"{}\", "
                                       "which neither its function nor the table makes",
                                       name, field->name()),
                   .fix = Suggest(field->name(), rows->schema()->field_names())});
    }
    if (!column->type()->Equals(*field->type())) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("column \"{}\" of a task's output is {}, and {} was made",
                                       field->name(), TypeText(*field->type()),
                                       TypeText(*column->type()))});
    }
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(output, rows->num_rows(), std::move(columns));
}

}  // namespace cells
}  // namespace protium
