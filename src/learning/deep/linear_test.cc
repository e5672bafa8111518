// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <torch/types.h>

#include "deep/testing/gradients_test.h"
#include "nets/kernel_net.h"

namespace protium {
namespace {

at::Tensor LinearOutputs(const std::vector<at::Tensor>& p, const Batch& rows) {
  at::Tensor out = p.back().expand({rows.size(), p.back().size(0)});
  const int64_t columns = rows.has(kCategoriesField) ? rows[kCategoriesField].size(1) : 0;
  for (int64_t c = 0; c < columns; ++c) {
    const auto column = rows[kCategoriesField].select(1, c).to(torch::kInt64);
    out = out + torch::embedding(p[size_t(c)], column);
  }
  if (!rows.has(kNumericField)) return out;
  return out + torch::matmul(rows[kNumericField], p[p.size() - 2].t());
}

void ExpectGradientsOfReference(const NetInputs& inputs) {
  const auto net = KernelNets().at("linear")(Json::object(), inputs).ValueOrDie();
  const auto weights = Weights::Make(*net).ValueOrDie();
  DrawUniform(5, -1, 1, weights->parameters());
  ExpectSameGradients(LinearOutputs, *net, *weights, inputs);
}

TEST(Linear, HasTheGradientOfTheRecordedNet) {
  for (const int64_t outputs : {1, 3}) {
    ExpectGradientsOfReference(TabularInputs(4, {}, outputs));
    ExpectGradientsOfReference(TabularInputs(0, {5, 300}, outputs));
    ExpectGradientsOfReference(TabularInputs(4, {5, 300}, outputs));
  }
}

TEST(Linear, NeedsInputs) {
  EXPECT_FALSE(KernelNets().at("linear")({}, TabularInputs(0, {})).ok());
}

}  // namespace
}  // namespace protium
