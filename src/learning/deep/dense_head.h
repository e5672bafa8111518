// SPDX-License-Identifier: Apache-2.0
// The last part of nets that first make numbers of an image or a text: dense layers.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

#include "deep/batch.h"
#include "tensor/net.h"

namespace protium {

// Dense layers with ReLU and dropout, then the outputs, over what a net made of a row and, behind
// it, the row's numeric columns. Parameters of the owner, in this order:
//   dense.<l>.weight [out, in], dense.<l>.bias [out], output.weight [outputs, in],
//   output.bias [outputs]
class DenseHead {
 public:
  // Registers its layers with `owner`, which must outlive it; `in` numbers come from the owner.
  DenseHead(torch::nn::Module& owner, int64_t in, const std::vector<int32_t>& hidden,
            double dropout, const NetInputs& inputs);
  // [rows, outputs] from `made` [rows, in].
  at::Tensor Outputs(const Batch& rows, at::Tensor made);

 private:
  torch::nn::Module& owner_;
  double dropout_;
  torch::nn::ModuleList dense_;
  torch::nn::Linear output_ = nullptr;
};

}  // namespace protium
