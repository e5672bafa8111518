// SPDX-License-Identifier: Apache-2.0
#include "deep/linear.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "deep/synthetic_rows.h"
#include "tensor/weights.h"

namespace protium {
namespace {

void ExpectGradientsOfReference(const NetInputs& inputs) {
  const auto net = MakeLinear(Json::object(), inputs).ValueOrDie();
  const auto weights = Weights::Make(*net).ValueOrDie();
  DrawUniform(5, -1, 1, weights->parameters());
  const SyntheticRows made({.rows = 21,
                            .numeric = inputs.Width(kNumericField),
                            .cardinalities = inputs.cardinalities,
                            .seed = 3});
  const Batch rows = made.batch();
  std::vector<float> memory(size_t(weights->size()), 100.0f);
  std::vector<float> defined(weights->parts().size());
  const auto sink = weights->Views(memory.data());
  const auto outputs_by =
      torch::linspace(-1, 1, rows.size() * inputs.outputs).view({rows.size(), inputs.outputs});
  const at::Tensor outputs = net->Forward(rows, nullptr).clone();
  net->Backward(outputs_by, {sink, false, defined});
  net->Backward(outputs_by, {sink, true, defined});

  std::vector<at::Tensor> leaves;
  for (const at::Tensor& view : weights->Views(weights->parameters().data())) {
    leaves.push_back(view.clone().set_requires_grad(true));
  }
  at::Tensor expected = leaves.back().expand({rows.size(), inputs.outputs});
  for (size_t c = 0; c < inputs.cardinalities.size(); ++c) {
    const auto column = rows[kCategoriesField].select(1, int64_t(c)).to(torch::kInt64);
    expected = expected + torch::embedding(leaves[c], column);
  }
  if (rows.has(kNumericField)) {
    expected = expected + torch::matmul(rows[kNumericField], leaves[leaves.size() - 2].t());
  }
  expected.backward(outputs_by);
  EXPECT_TRUE(torch::allclose(outputs, expected, 1e-4, 1e-5));
  for (size_t i = 0; i < leaves.size(); ++i) {
    EXPECT_TRUE(torch::allclose(sink[i], 2 * leaves[i].grad(), 1e-3, 1e-5))
        << net->parameters()[i].name;
    EXPECT_EQ(defined[i], 2);
  }
}

TEST(Linear, HasTheGradientOfTheRecordedNet) {
  for (const int64_t outputs : {1, 3}) {
    ExpectGradientsOfReference(TabularInputs(4, {}, outputs));
    ExpectGradientsOfReference(TabularInputs(0, {5, 300}, outputs));
    ExpectGradientsOfReference(TabularInputs(4, {5, 300}, outputs));
  }
}

TEST(Linear, NeedsInputs) { EXPECT_FALSE(MakeLinear({}, TabularInputs(0, {})).ok()); }

}  // namespace
}  // namespace protium
