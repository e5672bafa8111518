// SPDX-License-Identifier: Apache-2.0
// A net as a user would write it.
#pragma once

#include <protium/torch.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

struct WideOptions {
  int32_t width = 16;
  double dropout = 0.2;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("width", width, {.help = "neurons of the hidden layer", .at_least = 1});
    visit("dropout", dropout, {.help = "share left out", .at_least = 0, .below = 1});
  }
};

// The layer in the middle is used twice, and `spare` not at all.
struct WideNet : torch::nn::Module {
  WideNet(const WideOptions& options, const protium::NetInputs& inputs)
      : kinds(register_module("kinds", torch::nn::Embedding(inputs.cardinalities.at(0), 4))),
        in(register_module("in", torch::nn::Linear(inputs.Width("numeric") + 4, options.width))),
        middle(register_module("middle", torch::nn::Linear(options.width, options.width))),
        norm(register_module("norm", torch::nn::BatchNorm1d(options.width))),
        drop(register_module("drop", torch::nn::Dropout(options.dropout))),
        out(register_module("out", torch::nn::Linear(options.width, inputs.outputs))) {
    register_parameter("spare", torch::randn({3}));
  }
  torch::Tensor forward(const protium::Batch& rows) {
    const auto kind = kinds(rows["categories"].select(1, 0));
    const auto x = norm(torch::relu(in(torch::cat({kind, rows["numeric"]}, 1))));
    return out(drop(middle(torch::relu(middle(x)))));
  }
  torch::nn::Embedding kinds;
  torch::nn::Linear in, middle;
  torch::nn::BatchNorm1d norm;
  torch::nn::Dropout drop;
  torch::nn::Linear out;
};
