// SPDX-License-Identifier: Apache-2.0
#include "inference/behind_history.h"

#include <arrow/api.h>

#include <numeric>
#include <vector>

#include "base/fault.h"
#include "column/batches.h"
#include "column/stream.h"
#include "format/parquet_rows.h"

namespace protium {
namespace {

// The query returns rows by series and time; their numbers bring them back into the given order.
constexpr const char* kNumber = "__number";

std::shared_ptr<arrow::Array> NumbersUpTo(int64_t rows) {
  std::vector<int64_t> values(static_cast<size_t>(rows));
  std::iota(values.begin(), values.end(), int64_t{0});
  arrow::Int64Builder builder;
  (void)builder.AppendValues(values);
  return builder.Finish().ValueOrDie();
}

// Where each of 0, 1, 2, ... stands among `numbers`, which has each of them once.
std::vector<int64_t> PlacesOf(const arrow::Array& numbers) {
  const auto& values = static_cast<const arrow::Int64Array&>(numbers);
  std::vector<int64_t> places(static_cast<size_t>(values.length()));
  for (int64_t i = 0; i < values.length(); ++i) places[size_t(values.Value(i))] = i;
  return places;
}

Result<SchemaPtr> Without(const SchemaPtr& schema, const char* column) {
  return schema->RemoveField(schema->GetFieldIndex(column));
}

}  // namespace

Result<std::shared_ptr<arrow::RecordBatch>> ReadKeptRows(const ModelState& state) {
  if (state.history.empty()) return nullptr;
  PT_LET(const ParquetRows file, ReadParquetRows({state.history}, {}));
  PT_LET(const arrow::RecordBatchVector batches, Collect(*file.rows));
  return Together(file.rows->schema(), batches);
}

Result<BehindKeptRows> BehindKeptRows::Make(const ModelState& state,
                                            const std::shared_ptr<arrow::RecordBatch>& kept,
                                            const SchemaPtr& columns, RowQueries& queries) {
  BehindKeptRows made;
  PT_LET(made.numbered_,
         columns->AddField(columns->num_fields(), arrow::field(kNumber, arrow::int64())));
  const Plan rows = MakePlan(NamedTable{"rows"}), history = MakePlan(NamedTable{"history"});
  SchemaPtr typed = made.numbered_;
  PT_LET(const Plan plan, PlanBehindHistory(state, rows, typed, history));
  PT_LET(made.typed_, Without(typed, kNumber));
  PT_LET(made.query_,
         queries.Prepare(TableQueryPlan{
             .plan = plan, .rows = rows, .columns = made.numbered_, .others = {{history, kept}}}));
  PT_LET(made.schema_, Without(made.query_->schema(), kNumber));
  return made;
}

Result<std::shared_ptr<arrow::RecordBatch>> BehindKeptRows::Apply(
    const arrow::RecordBatch& rows) const {
  arrow::ArrayVector columns = rows.columns();
  columns.push_back(NumbersUpTo(rows.num_rows()));
  const auto numbered = arrow::RecordBatch::Make(numbered_, rows.num_rows(), std::move(columns));
  PT_LET(const auto found, query_->Run(*numbered));
  if (found->num_rows() != rows.num_rows()) {
    return Fail({.exit = Exit::kBug, .what = "rows behind the kept ones are not as many as given"});
  }
  const std::vector<int64_t> order = PlacesOf(*found->GetColumnByName(kNumber));
  PT_LET(const auto own, found->RemoveColumn(found->schema()->GetFieldIndex(kNumber)));
  return RowsAt(own, order);
}

}  // namespace protium
