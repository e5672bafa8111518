// SPDX-License-Identifier: Apache-2.0
// Runs nets that have their own CPU kernels as LibTorch operations, which run on any device. Names,
// shapes, order and first values of their tensors are those of the original, so a model does not
// depend on where it was trained and can be scored anywhere; sums run in another order.
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
  std::vector<bool> frozen = {};  // By buffer: a statistic that training uses and leaves as it is.

  bool IsFrozen(size_t buffer) const { return !frozen.empty() && frozen[buffer]; }
};

// Computes [rows, outputs] from the rows and these tensors; `training` switches dropout and batch
// norm. Autograd derives the backward pass, so tensors in use must not be written to, except
// buffers.
using Operations =
    std::function<at::Tensor(const Batch& rows, const NetTensors& tensors, bool training)>;

// Returns the net `original`, not yet bound to memory, computed by `operations`.
Result<std::unique_ptr<Net>> MakeOperationsNet(std::shared_ptr<Net> original, Operations operations,
                                               const NetInputs& inputs);

}  // namespace protium
