// SPDX-License-Identifier: Apache-2.0
// A torch::nn::Module as a net. Takes long to compile: for those who have one.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <string>
#include <utility>

#include "deep/recorded_net.h"

namespace protium {

// The module's tensors in the order of registration. One that is registered twice counts once,
// under its first name.
inline Recorded RecordModule(const std::shared_ptr<torch::nn::Module>& module) {
  Recorded net;
  const auto list = [](const auto& from, auto& to) {
    for (const auto& item : from) {
      bool known = !item.value().defined();
      for (const auto& [name, tensor] : to) known = known || tensor.is_same(item.value());
      if (!known) to.emplace_back(item.key(), item.value());
    }
  };
  list(module->named_parameters(), net.parameters);
  list(module->named_buffers(), net.buffers);
  for (const auto& each : module->modules()) {
    if (each->name().find("BatchNorm") != std::string::npos) net.normalises_batches = true;
  }
  net.train = [module](bool training) { module->train(training); };
  return net;
}

// The builder of nets M, made as M(options, inputs) and called as forward(const Batch&).
template <class M, class Options>
NetBuilder ModuleBuilder() {
  return [](const Json& given, const NetInputs& inputs) -> Result<std::unique_ptr<Net>> {
    Options options;
    PT_TRY(FieldsFromJson(given, "net", options));
    const auto make = [options, inputs] {
      const auto module = std::make_shared<M>(options, inputs);
      Recorded net = RecordModule(module);
      net.forward = [module](const Batch& rows) { return module->forward(rows); };
      return net;
    };
    return MakeRecordedNet(make, inputs.outputs);
  };
}

}  // namespace protium
