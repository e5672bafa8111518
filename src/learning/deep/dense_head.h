// SPDX-License-Identifier: Apache-2.0
// The dense layers at the end of nets that first turn an image or a text into numbers.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <vector>

#include "deep/batch.h"
#include "tensor/net.h"

namespace protium {

// Dense layers with ReLU and dropout, then the outputs. Their input is what the owner made of a
// row, followed by the row's numeric columns. Parameters of the owner, in this order:
//   dense.<l>.weight [out, in], dense.<l>.bias [out], output.weight [outputs, in],
//   output.bias [outputs]
class DenseHead {
 public:
  // Registers its layers with `owner`, which must outlive it; the owner makes `in` numbers per row.
  DenseHead(torch::nn::Module& owner, int64_t in, const std::vector<int32_t>& hidden,
            double dropout, const NetInputs& inputs);
  // Returns [rows, outputs] from `made` [rows, in].
  at::Tensor Outputs(const Batch& rows, at::Tensor made);

 private:
  torch::nn::Module& owner_;
  double dropout_;
  torch::nn::ModuleList dense_;
  torch::nn::Linear output_ = nullptr;
};

}  // namespace protium
