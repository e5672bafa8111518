// SPDX-License-Identifier: Apache-2.0
// Nets with kernels of their own, which are for the CPU, as operations of LibTorch, which run on
// any device. Names, shapes, order and first values of their tensors are those of the original, so
// a model does not show where it was trained and can be scored anywhere; sums are made in another
// order.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "deep/batch.h"
#include "tensor/net.h"

namespace protium {

// A net's tensors in the order of its parameters() and buffers().
struct NetTensors {
  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> buffers;
};

// [rows, outputs] from the rows and these tensors; `training` switches dropout and batch norm.
// Autograd derives the backward, so what is used must not be written to, buffers apart.
using Operations =
    std::function<at::Tensor(const Batch& rows, const NetTensors& tensors, bool training)>;

// The net `original`, bound to no memory yet, computed by `operations`.
Result<std::unique_ptr<Net>> MakeOperationsNet(std::shared_ptr<Net> original, Operations operations,
                                               const NetInputs& inputs);

}  // namespace protium
