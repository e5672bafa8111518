// SPDX-License-Identifier: Apache-2.0
#include "deep/tasks.h"

#include <utility>

#include "deep/cnn.h"
#include "deep/ft_transformer.h"
#include "deep/linear.h"
#include "deep/tabular_mlp.h"
#include "deep/text_classifier.h"
#include "deep/torch_script.h"
#include "deep/wide_and_deep.h"
#include "inference/net_rows.h"
#include "learn/model/net_library.h"
#include "learn/torch_library.h"

namespace protium {
namespace {

NetInputs InputsOf(const NetConfig& config, RowSchema rows) {
  return {.rows = std::move(rows),
          .cardinalities = Cardinalities(config),
          .outputs = config.objective.outputs()};
}

}  // namespace

TorchRows BuiltInRows() {
  return {.nets = {{"tabular_mlp", MakeTabularMlp},
                   {"linear", MakeLinear},
                   {"wide_and_deep", MakeWideAndDeep},
                   {"ft_transformer", MakeFtTransformer},
                   {"cnn", MakeCnn},
                   {"text_classifier", MakeTextClassifier},
                   {"torchscript", MakeTorchScript}},
          .losses = BuiltInLosses()};
}

void AddRows(const Catalogue& own, TorchRows& rows) {
  for (const NetRow& row : own.nets) {
    if (row.builder) rows.nets[row.name] = *static_cast<const NetBuilder*>(row.builder.get());
  }
  for (const LossRow& row : own.losses) {
    if (row.builder) rows.losses[row.name] = *static_cast<const LossBuilder*>(row.builder.get());
  }
  for (MetricSpec& metric : OwnMetrics(own)) rows.metrics.push_back(std::move(metric));
}

Result<TorchRows> WithExtensions(TorchRows rows, const std::vector<NetLibrary>& extensions) {
  for (const NetLibrary& each : extensions) {
    PT_LET(const Catalogue own, OpenExtension(each));
    AddRows(own, rows);
  }
  return rows;
}

TaskTable TorchTasks(const TorchRows& rows) {
  return {{"train", [rows](TaskContext& context) { return RunTrainTask(context, rows); }},
          {"score", [rows](TaskContext& context) { return RunScoreTask(context, rows); }}};
}

NetInputs MakeNetInputs(const TrainConfig& config) {
  return InputsOf(config.net, NetRows(config.net, config.scaled, config.weight, true));
}

NetInputs MakeNetInputs(const ScoreConfig& config) {
  return InputsOf(config.net, NetRows(config.net, config.scaled, {}, false));
}

}  // namespace protium

bool protium_torch_tasks(int32_t version, const protium::Catalogue* own,
                         protium::TaskTable* tasks) {
  // The tables passed here are C++ types, whose layout both sides must agree on.
  if (version != protium::kTorchLibraryVersion) return false;
  protium::TorchRows rows = protium::BuiltInRows();
  // A program's own nets come after the built-in ones, so that one of the same name wins.
  if (own != nullptr) protium::AddRows(*own, rows);
  tasks->merge(protium::TorchTasks(rows));
  return true;
}
