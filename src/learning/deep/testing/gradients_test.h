// SPDX-License-Identifier: Apache-2.0
// Compares a net that has a handwritten backward pass with the same net recorded by LibTorch.
#pragma once

#include <gtest/gtest.h>
#include <torch/types.h>

#include <functional>
#include <vector>

#include "deep/batch.h"
#include "deep/float_tensor.h"
#include "tensor/testing/synthetic_rows.h"
#include "tensor/weights.h"

namespace protium {

// Computes the outputs for `rows` with the parameters `p` by LibTorch's own operations.
using RecordedForward =
    std::function<at::Tensor(const std::vector<at::Tensor>& p, const Batch& rows)>;

// Expects the outputs and gradients of `reference` from `net`, which is made for `inputs` and
// starts from `weights`: a first backward pass overwrites gradients, a second adds to them. With
// `tokens`, lists contain whole numbers below it.
inline void ExpectSameGradients(const RecordedForward& reference, Net& net, Weights& weights,
                                const NetInputs& inputs, int64_t tokens = 0) {
  std::vector<ListColumn> lists;
  for (const RowField& field : inputs.rows.fields()) {
    if (field.list_length > 0) lists.push_back({field.name, field.list_length});
  }
  const SyntheticRows made({.rows = 33,
                            .numeric = inputs.Width(kNumericField),
                            .cardinalities = inputs.cardinalities,
                            .seed = 3,
                            .lists = lists,
                            .tokens = tokens});
  const Batch rows(made.batch());
  std::vector<float> memory(size_t(weights.size()), 100.0f);
  std::vector<float> defined(weights.parts().size());
  const auto sink = weights.Views(memory.data());
  const auto outputs_by =
      torch::linspace(-1, 1, rows.size() * inputs.outputs).view({rows.size(), inputs.outputs});
  const uint64_t key = 1;
  at::Tensor outputs;
  for (const bool add : {false, true}) {
    outputs = TensorOf(net.Forward(rows, &key)).clone();
    net.Backward(ValuesOf(outputs_by), {sink, add, defined});
  }

  std::vector<at::Tensor> leaves;
  for (const at::Tensor& view : TensorsOf(weights.Views(weights.parameters().data()))) {
    leaves.push_back(view.clone().set_requires_grad(true));
  }
  const at::Tensor expected = reference(leaves, rows);
  expected.backward(outputs_by);
  EXPECT_TRUE(torch::allclose(outputs, expected, 1e-4, 1e-5));
  for (size_t i = 0; i < leaves.size(); ++i) {
    EXPECT_TRUE(torch::allclose(TensorOf(sink[i]), 2 * leaves[i].grad(), 1e-3, 1e-5))
        << net.parameters()[i].name;
    EXPECT_EQ(defined[i], 2);
  }
}

}  // namespace protium
