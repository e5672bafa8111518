// SPDX-License-Identifier: Apache-2.0
// The tasks of workers in these tests. Training is a stand-in: it records which rows it received
// and writes a file as its weights, so everything around it runs without LibTorch.
#include <arrow/api.h>

#include <filesystem>
#include <fstream>

#include "events/events.h"
#include "gang/task.h"
#include "metrics/metrics.h"
#include "pipeline/batch_run.h"
#include "pipeline/fit_task.h"
#include "pipeline/torch_task.h"

namespace protium {

const TaskTable& TestTasks();

namespace {

struct Rows {
  int64_t learning = 0;
  int64_t held_out = 0;
};

Result<Rows> CountRows(TaskContext& context, const std::string& held_out) {
  Rows rows;
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, context.input().Next());
    if (!batch) return rows;
    const auto mark =
        std::static_pointer_cast<arrow::BooleanArray>(batch->GetColumnByName(held_out));
    const int64_t out = mark ? mark->true_count() : 0;
    rows.held_out += out;
    rows.learning += batch->num_rows() - out;
  }
}

Status TrainTask(TaskContext& context) {
  PT_LET(const Json json, ParseJson(context.config()));
  TrainConfig config;
  PT_TRY(FieldsFromJson(json, "train", config));
  PT_LET(const Rows mine, CountRows(context, config.held_out));
  PT_LET(Communicator* const ranks, CommunicatorOf(context));
  std::vector<int64_t> sums = {mine.learning, mine.held_out};
  PT_TRY(ranks->AllReduce(AsBuffer(std::span(sums)), Op::kSum));
  if (context.rank() != 0) return Status::OK();
  context.Report(StepDone{.step = 1, .steps = 1, .epoch = 1, .loss = 0.5});
  std::filesystem::create_directories(config.folder);
  TrainResult result{.weights = config.folder + "/best.safetensors", .weights_sha256 = "cafe"};
  std::ofstream(result.weights) << "weights of " << context.config();
  result.rows = sums[0];
  result.validation_rows = sums[1];
  result.steps = config.resume ? 2 : 1;
  result.validation = {{"rmse", 1.5}};
  result.fingerprint = {{"stages", config.stages_sha256}};
  return EmitJson(context, FieldsToJson(result));
}

// The first numeric input, whether the engine scaled it or left that to the task.
Result<std::shared_ptr<arrow::DoubleArray>> FirstNumber(const ScoreConfig& config,
                                                        const arrow::RecordBatch& batch) {
  const std::string& column = config.net.numeric.front();
  const auto read = batch.GetColumnByName(ReadFrom(config.scaled, column));
  const auto scaled = std::ranges::find(config.scaled, column, &ScaledNumber::column);
  if (scaled == config.scaled.end()) return std::static_pointer_cast<arrow::DoubleArray>(read);
  arrow::DoubleBuilder numbers;
  for (int64_t i = 0; i < batch.num_rows(); ++i) {
    PT_LET(const auto cell, read->GetScalar(i));
    PT_LET(const auto x, cell->CastTo(arrow::float64()));
    const double value = static_cast<const arrow::DoubleScalar&>(*x).value;
    PT_TRY(numbers.Append((value - scaled->mean) / scaled->deviation));
  }
  PT_LET(const auto array, numbers.Finish());
  return std::static_pointer_cast<arrow::DoubleArray>(array);
}

// Predicts the first numeric input.
Status ScoreTask(TaskContext& context) {
  PT_LET(const Json json, ParseJson(context.config()));
  ScoreConfig config;
  PT_TRY(FieldsFromJson(json, "score", config));
  PT_LET(MetricState state, MetricState::Make(config.metrics, TargetKind::kValues));
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, context.input().Next());
    if (!batch) break;
    PT_LET(const auto x, FirstNumber(config, *batch));
    const auto y = batch->GetColumnByName(config.net.objective.labels.front().column);
    for (int64_t i = 0; y && i < batch->num_rows(); ++i) {
      const double label = static_cast<const arrow::DoubleArray&>(*y).Value(i);
      const double prediction = x->Value(i);
      state.Add({{&label, 1}, {&prediction, 1}});
    }
    arrow::ArrayVector columns;
    for (const auto& field : context.output_schema()->fields()) {
      columns.push_back(batch->GetColumnByName(field->name()));
    }
    columns.back() = x;
    PT_TRY(context.Emit(
        *arrow::RecordBatch::Make(context.output_schema(), batch->num_rows(), std::move(columns))));
  }
  context.Send(EventToJson(ScoredStates{.model = state.ToJson()}));
  return Status::OK();
}

}  // namespace

const TaskTable& TestTasks() {
  static const TaskTable tasks = {
      {"fit", FitTask}, {"stages", StagesTask}, {"train", TrainTask}, {"score", ScoreTask},
      // Nets are never made here, not even LibTorch's.
  };
  return tasks;
}

}  // namespace protium
