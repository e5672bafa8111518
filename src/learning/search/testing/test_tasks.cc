// SPDX-License-Identifier: Apache-2.0
// Stand-ins for the tasks that need LibTorch. Their results depend on the options only, so that
// tests know which trial is the best.
#include <arrow/api.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/fault.h"
#include "events/events.h"
#include "gang/task.h"
#include "metrics/metrics.h"
#include "os/file.h"
#include "pipeline/fit_task.h"
#include "pipeline/torch_task.h"

namespace protium {

const TaskTable& TestTasks();

namespace {

Result<TrainConfig> ReadConfig(TaskContext& context) {
  PT_LET(const Json json, ParseJson(context.config()));
  TrainConfig config;
  PT_TRY(FieldsFromJson(json, "train", config));
  return config;
}

// The error is the distance of the learning rate from 0.01; a rate above 1 diverges. The best epoch
// is the second.
Status TrainTask(TaskContext& context) {
  PT_LET(const TrainConfig config, ReadConfig(context));
  TrainResult result{.weights = config.folder + "/best.safetensors"};
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, context.input().Next());
    if (!batch) break;
    const auto mark = batch->GetColumnByName(config.held_out);
    const int64_t out =
        mark ? static_cast<const arrow::BooleanArray&>(*mark).true_count() : int64_t{0};
    result.rows += batch->num_rows() - out;
  }
  const double rate = config.train.optimizer.options.value("learning_rate", 0.0);
  if (rate > 1) return Fail({.what = "the loss is not finite", .fix = "lower the rate"});
  std::filesystem::create_directories(config.folder);
  std::ofstream(result.weights) << rate;
  for (const std::string& name : config.train.metrics) {
    result.validation[name] = rate > 0.01 ? rate - 0.01 : 0.01 - rate;
  }
  result.steps = config.train.epochs;
  result.best_epoch = config.held_out.empty() ? 0 : 2;
  return EmitJson(context, FieldsToJson(result));
}

// Predicts what the "weights" say, and compares it with the label.
Status ScoreTask(TaskContext& context) {
  PT_LET(const Json json, ParseJson(context.config()));
  ScoreConfig config;
  PT_TRY(FieldsFromJson(json, "score", config));
  PT_LET(const std::string weights, ReadFile(config.weights));
  const Objective& objective = config.net.objective;
  PT_LET(MetricState state, MetricState::Make(config.metrics, objective.kind));
  const std::vector<double> predictions(std::max<size_t>(objective.levels.size(), 1),
                                        std::strtod(weights.c_str(), nullptr));
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, context.input().Next());
    if (!batch) break;
    const auto labels = batch->GetColumnByName(objective.labels.front().column);
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      const double label = static_cast<const arrow::DoubleArray&>(*labels).Value(i);
      state.Add({.labels = {&label, 1}, .scores = predictions, .levels = objective.levels});
    }
  }
  context.Send(EventToJson(ScoredStates{.model = state.ToJson()}));
  return Status::OK();
}

}  // namespace

const TaskTable& TestTasks() {
  static const TaskTable tasks = {{"fit", FitTask}, {"train", TrainTask}, {"score", ScoreTask}};
  return tasks;
}

}  // namespace protium
