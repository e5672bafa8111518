// SPDX-License-Identifier: Apache-2.0
// A module with everything that is difficult about modules, for tests.
#pragma once

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "protium/nets.h"
#include "tensor/net.h"

namespace protium {

// Has dropout, batch norm with its batch counter, an unused parameter and one used twice.
struct OddNet : torch::nn::Module {
  OddNet(const TabularMlpOptions& options, const NetInputs& inputs)
      : embedding(
            register_module("embedding", torch::nn::Embedding(inputs.cardinalities.at(0), 4))),
        in(register_module("in", torch::nn::Linear(inputs.Width("numeric") + 4, 8))),
        twice(register_module("twice", torch::nn::Linear(8, 8))),
        norm(register_module("norm", torch::nn::BatchNorm1d(8))),
        drop(register_module("drop", torch::nn::Dropout(options.dropout))),
        out(register_module("out", torch::nn::Linear(8, inputs.outputs))) {
    unused = register_parameter("unused", torch::randn({3}));
    register_parameter("again", in->weight);
  }
  torch::Tensor forward(const Batch& rows) {
    const auto x = torch::cat({embedding(rows["categories"].select(1, 0)), rows["numeric"]}, 1);
    const auto y = norm(torch::relu(in(x)));
    return out(drop(twice(torch::relu(twice(y)))));
  }
  torch::nn::Embedding embedding;
  torch::nn::Linear in, twice;
  torch::nn::BatchNorm1d norm;
  torch::nn::Dropout drop;
  torch::nn::Linear out;
  torch::Tensor unused;
};

}  // namespace protium
