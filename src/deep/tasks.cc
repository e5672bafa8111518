// SPDX-License-Identifier: Apache-2.0
#include "deep/tasks.h"

#include "deep/linear.h"
#include "deep/tabular_mlp.h"
#include "deep/torch_script.h"
#include "learn/model/net_library.h"
#include "learn/torch_library.h"

namespace protium {

NetTable BuiltInNets() {
  return {
      {"tabular_mlp", MakeTabularMlp}, {"linear", MakeLinear}, {"torchscript", MakeTorchScript}};
}

void AddNets(const std::vector<NetRow>& rows, NetTable& nets) {
  for (const NetRow& row : rows) {
    if (row.builder) nets[row.name] = *static_cast<const NetBuilder*>(row.builder.get());
  }
}

Result<std::unique_ptr<Net>> BuildNet(const NetTable& nets, const NetConfig& config,
                                      const NetLibrary& extension, const NetInputs& inputs) {
  if (extension.file.empty()) return BuildNet(nets, config.net.name, config.net.options, inputs);
  PT_LET(const Catalogue rows, OpenExtension(extension));
  NetTable all = nets;
  AddNets(rows.nets, all);
  return BuildNet(all, config.net.name, config.net.options, inputs);
}

TaskTable TorchTasks(const NetTable& nets) {
  return {{"train", [nets](TaskContext& context) { return RunTrainTask(context, nets); }},
          {"score", [nets](TaskContext& context) { return RunScoreTask(context, nets); }}};
}

NetInputs MakeNetInputs(const NetConfig& config, const std::string& weight, bool labels) {
  RowColumns columns{.numeric = config.numeric, .weight = weight};
  NetInputs inputs{.outputs = config.objective.outputs()};
  for (const CategoricalColumn& each : config.categorical) {
    columns.categories.push_back(each.column);
    inputs.cardinalities.push_back(each.cardinality);
  }
  for (const ListInput& each : config.lists) columns.lists.push_back({each.column, each.length});
  const bool classes = config.objective.kind != TargetKind::kValues;
  if (labels && classes) columns.class_label = kClassColumn;
  for (const ScaledLabel& each : config.objective.labels) {
    if (labels && !classes) columns.labels.push_back({each.column, {each.mean, each.deviation}});
  }
  inputs.rows = MakeRowSchema(columns);
  return inputs;
}

Target MakeTarget(const Objective& objective) {
  Target target{.kind = objective.kind,
                .logarithmic = objective.logarithmic,
                .classes = int64_t(objective.classes.size())};
  for (const ScaledLabel& each : objective.labels) {
    target.labels.push_back({each.mean, each.deviation});
  }
  return target;
}

}  // namespace protium

bool protium_torch_tasks(int32_t version, const protium::Catalogue* own,
                         protium::TaskTable* tasks) {
  // The tables passed here are C++ types, whose layout both sides must agree on.
  if (version != protium::kTorchLibraryVersion) return false;
  protium::NetTable nets = protium::BuiltInNets();
  // A program's own nets come after the built-in ones, so that one of the same name wins.
  if (own != nullptr) protium::AddNets(own->nets, nets);
  tasks->merge(protium::TorchTasks(nets));
  return true;
}
