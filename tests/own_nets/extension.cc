// SPDX-License-Identifier: Apache-2.0
#include "own_nets/log_cosh.h"
#include "own_nets/wide_net.h"

// Reads lists of numbers by the name of their column.
struct PairNet : torch::nn::Module {
  PairNet(const protium::NoOptions&, const protium::NetInputs& inputs)
      : out(register_module("out", torch::nn::Linear(inputs.Width("pair"), inputs.outputs))) {}
  torch::Tensor forward(const protium::Batch& rows) { return out(rows["pair"]); }
  torch::nn::Linear out;
};

PROTIUM_EXTENSION(own) {
  own.nets.push_back(protium::MakeNetRow<PairNet>("pair", "a net of lists"));
  own.nets.push_back(protium::MakeNetRow<WideNet, WideOptions>("wide", "a net of the tests"));
  own.losses.push_back(LogCoshRow());
  own.metrics.push_back(NearRow());
}
