// SPDX-License-Identifier: Apache-2.0
// Stand-ins for the tasks that need LibTorch. Their results depend on the options only, so that
// tests know which trial is the best.
#include <arrow/api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <new>

#include "base/fault.h"
#include "events/events.h"
#include "gang/task.h"
#include "metrics/metrics.h"
#include "os/file.h"
#include "pipeline/fit_task.h"
#include "pipeline/torch_task.h"
#include "recipe/changes.h"

namespace protium {

const TaskTable& TestTasks();

namespace {

Result<TrainConfig> ReadConfig(TaskContext& context) {
  PT_LET(const Json json, ParseJson(context.config()));
  TrainConfig config;
  PT_TRY(FieldsFromJson(json, "train", config));
  return config;
}

// A rate whose training needs more memory than there is, and one at which the disk is full as long
// as there is a file "full" in the folder of trials.
constexpr double kTooLarge = 0.77;
constexpr double kAtFullDisk = 0.78;

double ErrorOf(double rate) { return rate > 0.01 ? rate - 0.01 : 0.01 - rate; }

// Every epoch halves what its error is above the last one's.
double ErrorAt(double rate, int64_t epoch) { return ErrorOf(rate) + std::ldexp(0.1, -int(epoch)); }

// Waits until the gang is asked to leave, as one does that has many epochs left.
Status LeaveWhenAsked(TaskContext& context, bool dies) {
  std::mutex mutex;
  std::condition_variable_any asked;
  std::unique_lock lock(mutex);
  const auto stop = context.stop();
  (void)asked.wait_for(lock, stop, std::chrono::seconds(30), [] { return false; });
  if (!stop.stop_requested()) return Fail({.what = "nobody asked this gang to leave"});
  if (dies) std::_Exit(9);
  return Fail({.exit = Exit::kStopped, .what = "left when asked"});
}

// Of rates from 0.5 on, the gang goes on for ever after its third epoch; from 0.8 on, it dies when
// it is asked to leave.
Status TrainEpochs(TaskContext& context, const TrainConfig& config, double rate) {
  for (int64_t epoch = 1; epoch <= config.train.epochs; ++epoch) {
    protium::Validated event{.epoch = epoch, .step = epoch};
    for (const std::string& name : config.train.metrics) {
      event.metrics.emplace_back(name, ErrorAt(rate, epoch));
    }
    context.Send(EventToJson(event));
    if (epoch == 3 && rate >= 0.5 && config.train.epochs > 20) {
      return LeaveWhenAsked(context, rate >= 0.8);
    }
  }
  return Status::OK();
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
  // Of the last epoch.
  const Choice optimizer = OptimizerAfter(config.train, config.train.epochs - 1);
  const double rate = optimizer.options.value("learning_rate", 0.0);
  if (rate == kTooLarge) throw std::bad_alloc();
  const auto full = std::filesystem::path(config.folder).parent_path().parent_path() / "full";
  if (rate == kAtFullDisk && std::filesystem::exists(full)) {
    return Fail({.exit = Exit::kNoRoom, .what = "cannot write: No space left on device"});
  }
  if (rate > 1) return Fail({.what = "the loss is not finite", .fix = "lower the rate"});
  std::filesystem::create_directories(config.folder);
  std::ofstream(result.weights) << rate;
  if (!config.held_out.empty()) PT_TRY(TrainEpochs(context, config, rate));
  for (const std::string& name : config.train.metrics) result.validation[name] = ErrorOf(rate);
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
