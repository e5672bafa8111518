// SPDX-License-Identifier: Apache-2.0
#include "deep/torch_script.h"

#include <torch/script.h>

#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "deep/float_tensor.h"
#include "deep/recorded_net.h"
#include "protium/nets.h"
#include "tensor/norm_statistics.h"

namespace protium {
namespace {

Status CheckInputs(const TorchScriptOptions& options, const NetInputs& inputs) {
  std::vector<std::string> known;
  for (const RowField& field : inputs.rows.fields()) {
    if (field.role == RowRole::kFeature) known.push_back(field.name);
  }
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    const auto found = std::find(known.begin(), known.end(), options.inputs[i]);
    if (found != known.end()) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "rows have no field \"" + options.inputs[i] + "\" for the net",
                 .where = "net.inputs." + std::to_string(i),
                 .fix = Suggest(options.inputs[i], known)});
  }
  return Status::OK();
}

at::Tensor ReadInput(const Batch& rows, const std::string& field) {
  const at::Tensor tensor = rows[field];
  // Packed categories are int32; Python code calls embeddings with int64, its default for whole
  // numbers.
  return tensor.scalar_type() == at::kInt ? tensor.to(at::kLong) : tensor;
}

// Puts the modules with frozen statistics, but not those below them, into evaluation mode.
std::function<void(const std::vector<bool>&)> Freezer(const torch::jit::Module& module,
                                                      const Recorded& net) {
  std::vector<std::pair<size_t, torch::jit::Module>> norms;
  for (const auto& each : module.named_modules()) {
    for (size_t b = 0; b < net.buffers.size() && each.value.hasattr("training"); ++b) {
      if (IsStatisticOf(each.name, net.buffers[b].first)) norms.emplace_back(b, each.value);
    }
  }
  return [norms](const std::vector<bool>& frozen) mutable {
    for (auto& [buffer, norm] : norms) {
      if (frozen[buffer]) norm.setattr("training", false);
    }
  };
}

// Loads to the device directly: moving the module's tensors later would leave constants of the
// file's code on the CPU.
Recorded Load(const TorchScriptOptions& options, at::Device device) {
  // The profiling executor would rewrite a graph after a few runs: then the bits of a step would
  // depend on how many steps this process has made, and a resumed run would differ from an
  // uninterrupted one.
  torch::jit::setGraphExecutorOptimize(false);
  const auto module = std::make_shared<torch::jit::Module>(torch::jit::load(options.file, device));
  Recorded net;
  for (const auto& each : module->named_parameters()) {
    net.parameters.emplace_back(each.name, each.value);
  }
  for (const auto& each : module->named_buffers()) net.buffers.emplace_back(each.name, each.value);
  for (const auto& each : module->modules()) {
    // A scripted module has the qualified name of its Python class; this is the last part.
    const auto type = each.type()->name();
    const bool norm = type && type->name().find("BatchNorm") != std::string::npos;
    net.normalises_batches = net.normalises_batches || norm;
  }
  net.train = [module](bool training) { module->train(training); };
  net.freeze = Freezer(*module, net);
  net.forward = [module, names = options.inputs](const Batch& rows) {
    std::vector<torch::jit::IValue> inputs;
    for (const std::string& name : names) inputs.emplace_back(ReadInput(rows, name));
    return module->forward(std::move(inputs)).toTensor();
  };
  return net;
}

}  // namespace

Result<std::unique_ptr<Net>> MakeTorchScript(const Json& given, const NetInputs& inputs) {
  TorchScriptOptions options;
  PT_TRY(FieldsFromJson(given, "net", options));
  PT_TRY(CheckInputs(options, inputs));
  const at::Device device = DeviceOf(inputs.device);
  return MakeRecordedNet([options, device] { return Load(options, device); }, inputs);
}

}  // namespace protium
