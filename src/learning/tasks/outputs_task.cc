// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>

#include <vector>

#include "base/fault.h"
#include "model/average_options.h"
#include "model/row_average.h"
#include "tasks/net_scorer.h"
#include "tasks/tasks.h"

// The task "outputs": batches of validation rows go through the members of an average. There is no
// gang: partitions know nothing of each other.

namespace protium {
namespace {

// Lists of equal length.
template <class Builder, class T>
Result<std::shared_ptr<arrow::Array>> Lists(const std::vector<T>& values, size_t rows) {
  const auto each = std::make_shared<Builder>();
  arrow::ListBuilder lists(arrow::default_memory_pool(), each);
  const size_t length = rows == 0 ? 0 : values.size() / rows;
  for (size_t i = 0; i < rows; ++i) {
    PT_TRY(lists.Append());
    PT_TRY(each->AppendValues(values.data() + i * length, int64_t(length)));
  }
  return lists.Finish();
}

// As metrics compare them: [rows, labels].
Result<std::vector<double>> Labels(const OutputsConfig& config, const arrow::RecordBatch& batch) {
  const Objective& objective = config.net.objective;
  std::vector<std::vector<double>> columns;
  for (const ScaledLabel& each : objective.labels) {
    PT_LET(columns.emplace_back(),
           Doubles(batch, OfClasses(objective.kind) ? kClassColumn : each.column));
  }
  std::vector<double> labels;
  for (size_t i = 0; i < size_t(batch.num_rows()); ++i) {
    for (const auto& column : columns) labels.push_back(column[i]);
  }
  return labels;
}

using Members = std::vector<std::shared_ptr<const RowPredictor>>;

// [rows, members * outputs]
Result<std::vector<float>> Outputs(const Members& members, const arrow::RecordBatch& batch) {
  std::vector<std::vector<float>> by_member;
  for (const auto& member : members) {
    PT_LET(by_member.emplace_back(), member->Outputs(batch));
  }
  std::vector<float> outputs;
  const auto rows = size_t(batch.num_rows());
  for (size_t i = 0; i < rows; ++i) {
    for (const auto& own : by_member) {
      const auto width = ptrdiff_t(own.size() / rows), at = ptrdiff_t(i) * width;
      outputs.insert(outputs.end(), own.begin() + at, own.begin() + at + width);
    }
  }
  return outputs;
}

}  // namespace

Status RunOutputsTask(TaskContext& context) {
  OutputsConfig config;
  PT_LET(const Json json, ParseJson(context.config()));
  PT_TRY(FieldsFromJson(json, "", config));
  PT_LET(const Members members, OpenMembers(config.net, config.weights));
  while (true) {
    PT_LET(const auto batch, context.input().Next());
    if (batch == nullptr) return Status::OK();
    const auto rows = size_t(batch->num_rows());
    PT_LET(const std::vector<double> labels, Labels(config, *batch));
    std::vector<double> weights(rows, 1);
    if (!config.weight.empty()) {
      PT_LET(weights, Doubles(*batch, config.weight));
    }
    PT_LET(const std::vector<float> outputs, Outputs(members, *batch));
    arrow::DoubleBuilder weight;
    PT_TRY(weight.AppendValues(weights));
    arrow::ArrayVector columns(3);
    PT_LET(columns[0], Lists<arrow::DoubleBuilder>(labels, rows));
    PT_TRY(weight.Finish(&columns[1]));
    PT_LET(columns[2], Lists<arrow::FloatBuilder>(outputs, rows));
    PT_TRY(context.Emit(
        *arrow::RecordBatch::Make(context.output_schema(), batch->num_rows(), std::move(columns))));
    if (context.stop().stop_requested()) return Status::Cancelled("blending was stopped");
  }
}

}  // namespace protium
