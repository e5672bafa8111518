// SPDX-License-Identifier: Apache-2.0
#include "deep/dense_head.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/relu.h>

namespace protium {

DenseHead::DenseHead(torch::nn::Module& owner, int64_t in, const std::vector<int32_t>& hidden,
                     double dropout, const NetInputs& inputs)
    : owner_(owner), dropout_(dropout) {
  in += inputs.Width(kNumericField);
  dense_ = owner.register_module("dense", torch::nn::ModuleList());
  for (const int32_t width : hidden) {
    dense_->push_back(torch::nn::Linear(in, width));
    in = width;
  }
  output_ = owner.register_module("output", torch::nn::Linear(in, inputs.outputs));
}

at::Tensor DenseHead::Outputs(const Batch& rows, at::Tensor made) {
  if (rows.has(kNumericField)) {
    made = at::cat({made, rows[kNumericField].to(made.scalar_type())}, 1);
  }
  for (size_t l = 0; l < dense_->size(); ++l) {
    made = at::relu(dense_->at<torch::nn::LinearImpl>(l).forward(made));
    if (dropout_ > 0) made = at::dropout(made, dropout_, owner_.is_training());
  }
  return output_(made);
}

}  // namespace protium
