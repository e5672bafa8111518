// SPDX-License-Identifier: Apache-2.0
#include "deep/operations_net.h"

#include <ATen/ops/zeros.h>

#include <utility>

#include "deep/float_tensor.h"
#include "deep/recorded_net.h"

namespace protium {
namespace {

std::vector<at::Tensor> MakeTensors(const std::vector<Variable>& variables) {
  std::vector<at::Tensor> tensors;
  for (const Variable& variable : variables) {
    tensors.push_back(at::zeros(variable.shape, at::kFloat));
  }
  return tensors;
}

// The lists that training binds to its memory share their tensors with the lists that the
// operations read: a copied handle refers to the same tensor.
Recorded Record(const std::shared_ptr<Net>& original, const Operations& operations) {
  const auto tensors = std::make_shared<NetTensors>(
      NetTensors{MakeTensors(original->parameters()), MakeTensors(original->buffers())});
  Recorded net;
  for (size_t i = 0; i < tensors->parameters.size(); ++i) {
    tensors->parameters[i].set_requires_grad(true);
    net.parameters.emplace_back(original->parameters()[i].name, tensors->parameters[i]);
  }
  for (size_t i = 0; i < tensors->buffers.size(); ++i) {
    net.buffers.emplace_back(original->buffers()[i].name, tensors->buffers[i]);
  }
  const auto trains = std::make_shared<bool>(false);
  net.train = [trains](bool training) { *trains = training; };
  net.freeze = [tensors](const std::vector<bool>& frozen) { tensors->frozen = frozen; };
  net.forward = [tensors, operations, trains](const Batch& rows) {
    return operations(rows, *tensors, *trains);
  };
  net.normalises_batches = original->least_rows() > 1;
  net.members = original->members();
  net.initialise = [tensors, original](uint64_t key) {
    std::vector<FloatValues> plain, buffers;
    for (size_t i = 0; i < tensors->parameters.size(); ++i) {
      plain.push_back({FloatData(tensors->parameters[i]), original->parameters()[i].shape});
    }
    for (size_t i = 0; i < tensors->buffers.size(); ++i) {
      buffers.push_back({FloatData(tensors->buffers[i]), original->buffers()[i].shape});
    }
    original->Bind(std::move(plain), std::move(buffers));
    original->Initialise(key);
  };
  return net;
}

}  // namespace

Result<std::unique_ptr<Net>> MakeOperationsNet(std::shared_ptr<Net> original, Operations operations,
                                               const NetInputs& inputs) {
  return MakeRecordedNet(
      [original = std::move(original), operations = std::move(operations)] {
        return Record(original, operations);
      },
      inputs);
}

}  // namespace protium
