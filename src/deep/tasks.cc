// SPDX-License-Identifier: Apache-2.0
#include "deep/tasks.h"

#include "deep/tabular_mlp.h"
#include "learn/torch_library.h"

namespace protium {

NetTable BuiltInNets() { return {{"tabular_mlp", MakeTabularMlp}}; }

TaskTable TorchTasks(const NetTable& nets) {
  return {{"train", [nets](TaskContext& context) { return RunTrainTask(context, nets); }},
          {"score", [nets](TaskContext& context) { return RunScoreTask(context, nets); }}};
}

RowLayout LayoutOf(const NetConfig& config) {
  RowLayout layout{.numeric = config.numeric, .label = config.label};
  for (const CategoricalColumn& each : config.categorical) layout.categories.push_back(each.column);
  layout.label_mean = config.label_scale.mean;
  layout.label_deviation = config.label_scale.deviation;
  return layout;
}

NetShape ShapeOf(const NetConfig& config) {
  NetShape shape{.options = config.net.options, .numeric = int64_t(config.numeric.size())};
  for (const auto& each : config.categorical) shape.cardinalities.push_back(each.cardinality);
  return shape;
}

}  // namespace protium

bool protium_torch_tasks(int32_t version, protium::TaskTable* tasks) {
  if (version != protium::kTorchLibraryVersion) return false;
  tasks->merge(protium::TorchTasks(protium::BuiltInNets()));
  return true;
}
