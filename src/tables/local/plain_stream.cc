// SPDX-License-Identifier: Apache-2.0
#include "local/plain_stream.h"

#include <arrow/type.h>

#include <algorithm>

#include "base/fault.h"
#include "base/nearest.h"
#include "column/schema.h"

namespace protium {
namespace {

// Ends its input early by reading no further; the workers are stopped when the stream is dropped.
class LimitStream : public BatchStream {
 public:
  LimitStream(int64_t rows, BatchStreamPtr input) : left_(rows), input_(std::move(input)) {}
  const SchemaPtr& schema() const override { return input_->schema(); }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    if (left_ == 0) return nullptr;
    PT_LET(auto batch, input_->Next());
    if (batch == nullptr) return nullptr;
    if (batch->num_rows() > left_) batch = batch->Slice(0, left_);
    left_ -= batch->num_rows();
    return batch;
  }

 private:
  int64_t left_;
  BatchStreamPtr input_;
};

// Chooses, repeats and renames columns; copies nothing.
class ColumnStream : public BatchStream {
 public:
  ColumnStream(SchemaPtr schema, std::vector<int> columns, BatchStreamPtr input)
      : schema_(std::move(schema)), columns_(std::move(columns)), input_(std::move(input)) {}
  const SchemaPtr& schema() const override { return schema_; }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    PT_LET(const auto batch, input_->Next());
    if (batch == nullptr) return nullptr;
    arrow::ArrayVector arrays;
    for (const int column : columns_) arrays.push_back(batch->column(column));
    return arrow::RecordBatch::Make(schema_, batch->num_rows(), std::move(arrays));
  }

 private:
  SchemaPtr schema_;
  std::vector<int> columns_;
  BatchStreamPtr input_;
};

bool IsPlain(const Verb& verb) {
  if (const auto* limit = std::get_if<Limit>(&verb)) return limit->rows >= 0;
  const auto* project = std::get_if<Project>(&verb);
  return project != nullptr && !project->columns.empty() &&
         std::all_of(project->columns.begin(), project->columns.end(),
                     [](const NamedExpr& each) { return each.expr.kind == Expr::Kind::kColumn; });
}

Result<int> Find(const arrow::Schema& schema, const std::string& name) {
  if (const int at = FindField(schema, name); at >= 0) return at;
  return Fail({.exit = Exit::kUsage,
               .what = "there is no column \"" + name + "\"",
               .fix = Suggest(name, schema.field_names())});
}

}  // namespace

bool IsPlainOverTask(const Plan& plan) {
  if (!IsPlain(plan->verb) || plan->inputs.size() != 1) return false;
  const Plan& input = plan->inputs.front();
  return std::holds_alternative<MapTask>(input->verb) || IsPlainOverTask(input);
}

Result<BatchStreamPtr> PlainStream(const Plan& plan, BatchStreamPtr input) {
  if (const auto* limit = std::get_if<Limit>(&plan->verb)) {
    return std::make_unique<LimitStream>(limit->rows, std::move(input));
  }
  std::vector<int> columns;
  arrow::FieldVector fields;
  for (const NamedExpr& column : std::get<Project>(plan->verb).columns) {
    PT_LET(const int index, Find(*input->schema(), column.expr.name));
    columns.push_back(index);
    fields.push_back(input->schema()->field(index)->WithName(column.name));
  }
  return std::make_unique<ColumnStream>(arrow::schema(fields), std::move(columns),
                                        std::move(input));
}

}  // namespace protium
