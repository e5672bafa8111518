// SPDX-License-Identifier: Apache-2.0
// A torch::nn::Module as a net. Includes LibTorch's large headers, so include it only where there
// is a module.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <string>
#include <utility>

#include "deep/recorded_net.h"
#include "tensor/norm_statistics.h"

namespace protium {

// Puts the modules with frozen statistics into evaluation mode. One with modules of its own, whose
// dropout that would switch off as well, goes on; RecordedNet then refuses what it writes.
inline std::function<void(const std::vector<bool>&)> Freezer(
    const std::shared_ptr<torch::nn::Module>& module, const Recorded& net) {
  std::vector<std::pair<size_t, std::shared_ptr<torch::nn::Module>>> norms;
  for (const auto& each : module->named_modules()) {
    for (size_t b = 0; b < net.buffers.size() && each.value()->children().empty(); ++b) {
      if (IsStatisticOf(each.key(), net.buffers[b].first)) norms.emplace_back(b, each.value());
    }
  }
  return [norms](const std::vector<bool>& frozen) {
    for (const auto& [buffer, norm] : norms) {
      if (frozen[buffer]) norm->eval();
    }
  };
}

// The module's tensors in the order of registration. A tensor that is registered twice (tied
// weights) counts once, under its first name: otherwise the optimiser would move it twice. If a
// submodule's name contains "BatchNorm", the net requires two rows, as LibTorch refuses to
// normalise a batch of one in training.
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
  net.freeze = Freezer(module, net);
  return net;
}

// Makes M(arguments...) on each call; M has `forward(const Batch&) -> Tensor`. A net calls it once
// for itself and again for each Initialise(), since a module draws its first weights only in its
// constructor.
template <class M, class... Arguments>
RecordedMaker MakerOf(Arguments... arguments) {
  return [=] {
    const auto module = std::make_shared<M>(arguments...);
    Recorded net = RecordModule(module);
    net.forward = [module](const Batch& rows) { return module->forward(rows); };
    return net;
  };
}

// A builder of nets M, constructed as M(options, inputs). The callers of Net catch what M throws
// when it is constructed or run.
template <class M, class Options>
NetBuilder ModuleBuilder() {
  return [](const Json& given, const NetInputs& inputs) -> Result<std::unique_ptr<Net>> {
    Options options;
    PT_TRY(FieldsFromJson(given, "net", options));
    return MakeRecordedNet(MakerOf<M>(options, inputs), inputs);
  };
}

}  // namespace protium
