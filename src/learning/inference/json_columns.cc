// SPDX-License-Identifier: Apache-2.0
#include "inference/json_columns.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

std::string Row(int64_t row) { return fmt::format("row {}", row + 1); }

Status Lacks(const std::string& column, int64_t row) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("the row has no column \"{}\", and others have", column),
               .where = Row(row),
               .fix = "write null where a value is missing"});
}

}  // namespace

JsonColumns::JsonColumns(const arrow::Schema& schema) : schema_(schema) {
  columns_.reserve(size_t(schema.num_fields()));
  for (const auto& field : schema.fields()) columns_.push_back({field, nullptr});
}

void JsonColumns::Begin() {
  position_ = 0;
  row_cells_ = 0;
}

int JsonColumns::Find(std::string_view name) {
  // No earlier row had this many keys; try the schema's order.
  if (position_ == order_.size()) {
    order_.push_back(position_ < columns_.size() ? int(position_) : -1);
  }
  int& likely = order_[position_++];
  if (likely < 0 || field(likely).name() != name) likely = schema_.GetFieldIndex(std::string(name));
  return likely;
}

Status JsonColumns::Start(Column& column) {
  ++begun_columns_;
  return arrow::MakeBuilder(arrow::default_memory_pool(), column.field->type(), &column.builder);
}

Status JsonColumns::BeginCell(int column, int64_t row) {
  Column& own = columns_[size_t(column)];
  const int64_t cells = own.builder ? own.builder->length() : 0;
  if (cells > row) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("the row has column \"{}\" twice", own.field->name()),
                 .where = Row(row)});
  }
  if (cells < row) return Lacks(own.field->name(), cells);
  ++row_cells_;
  return own.builder ? Status::OK() : Start(own);
}

Status JsonColumns::EndRow(int64_t row) const {
  if (row_cells_ == begun_columns_) return Status::OK();
  for (const Column& each : columns_) {
    if (each.builder && each.builder->length() <= row) return Lacks(each.field->name(), row);
  }
  return Status::OK();
}

Status JsonColumns::BeginColumn(int column) {
  Column& own = columns_[size_t(column)];
  if (!own.builder) return Start(own);
  return Fail(
      {.exit = Exit::kInput, .what = fmt::format("column \"{}\" comes twice", own.field->name())});
}

Status JsonColumns::BeginAll() {
  for (Column& each : columns_) PT_TRY(Start(each));
  return Status::OK();
}

Result<std::shared_ptr<arrow::RecordBatch>> JsonColumns::Finish(int64_t rows) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (Column& each : columns_) {
    if (!each.builder) continue;
    fields.push_back(each.field);
    PT_LET(arrays.emplace_back(), each.builder->Finish());
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(arrays));
}

}  // namespace protium
