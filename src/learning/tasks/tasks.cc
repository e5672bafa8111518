// SPDX-License-Identifier: Apache-2.0
#include "tasks/tasks.h"

#include <algorithm>
#include <utility>

#include "model/average_options.h"
#include "model/forest_config.h"
#include "model/net_library.h"
#include "model/net_rows.h"
#include "nets/kernel_net.h"
#include "protium/stage_options.h"

namespace protium {
namespace {

NetInputs InputsOf(const NetConfig& config, RowSchema rows) {
  return {.rows = std::move(rows),
          .cardinalities = Cardinalities(config),
          .outputs = config.objective.outputs()};
}

}  // namespace

TaskRows PlainRows() {
  return {.nets = KernelNets(), .estimators = BuiltInEstimators(), .losses = BuiltInLosses()};
}

std::map<std::string, std::shared_ptr<const EstimatorKind>> BuiltInEstimators() {
  const std::vector<StageRow> stages = BuiltInCatalogue().stages;
  const auto kind = [&](const char* name) {
    return std::ranges::find(stages, name, &StageRow::name)->estimator;
  };
  return {{kForest, kind(kTreeEstimator)}, {kAverage, kind(kAverageEstimator)}};
}

void AddRows(const Catalogue& own, TaskRows& rows) {
  for (const NetRow& row : own.nets) {
    if (row.builder) rows.nets[row.name] = *static_cast<const NetBuilder*>(row.builder.get());
  }
  for (const LossRow& row : own.losses) {
    if (row.builder) rows.losses[row.name] = *static_cast<const LossBuilder*>(row.builder.get());
  }
  for (const StageRow& row : own.stages) {
    if (row.estimator) rows.estimators[row.name] = row.estimator;
  }
  for (MetricSpec& metric : OwnMetrics(own)) rows.metrics.push_back(std::move(metric));
}

Result<TaskRows> WithExtensions(TaskRows rows, const std::vector<NetLibrary>& extensions) {
  for (const NetLibrary& each : extensions) {
    PT_LET(const Catalogue own, OpenExtension(each));
    AddRows(own, rows);
  }
  return rows;
}

TaskTable TasksOver(const TaskRows& rows) {
  return {{"train", [rows](TaskContext& context) { return RunTrainTask(context, rows); }},
          {kForestTask, [rows](TaskContext& context) { return RunTreeTask(context, rows); }},
          {kOutputsTask, RunOutputsTask},
          {"score", [rows](TaskContext& context) { return RunScoreTask(context, rows); }}};
}

NetInputs MakeNetInputs(const TrainConfig& config) {
  return InputsOf(config.net, NetRows(config.net, config.scaled, config.weight, true));
}

NetInputs MakeNetInputs(const ScoreConfig& config) {
  return InputsOf(config.net, NetRows(config.net, config.scaled, {}, false));
}

}  // namespace protium
