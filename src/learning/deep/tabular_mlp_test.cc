// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "base/fault.h"
#include "deep/testing/gradients_test.h"
#include "nets/kernel_net.h"

namespace protium {
namespace {

NetInputs MixedInputs() { return TabularInputs(5, {7, 3}); }

// The same net by LibTorch's own operations, recorded; `p` are the net's parameters.
at::Tensor MlpOutputs(const std::vector<at::Tensor>& p, const Batch& rows, size_t layers,
                      bool norm) {
  std::vector<at::Tensor> parts;
  size_t at = 0;
  if (rows.has(kCategoriesField)) {
    const at::Tensor categories = rows[kCategoriesField].to(torch::kInt64);
    for (; int64_t(at) < categories.size(1); ++at) {
      parts.push_back(torch::embedding(p[at], categories.select(1, int64_t(at))));
    }
  }
  if (rows.has(kNumericField)) parts.push_back(rows[kNumericField]);
  auto x = torch::cat(parts, 1);
  for (size_t layer = 0; layer < layers; ++layer) {
    x = torch::linear(x, p[at], p[at + 1]);
    at += 2;
    if (norm) {
      x = torch::batch_norm(x, p[at], p[at + 1], {}, {}, true, 0.1, 1e-5, false);
      at += 2;
    }
    x = torch::relu(x);
  }
  return torch::linear(x, p[at], p[at + 1]);
}

void ExpectGradientsOfReference(const Json& options, const NetInputs& inputs, size_t layers,
                                bool norm) {
  const auto net = KernelNets().at("tabular_mlp")(options, inputs).ValueOrDie();
  const auto weights = Weights::Make(*net).ValueOrDie();
  net->Initialise(1);
  const auto reference = [&](const std::vector<at::Tensor>& p, const Batch& rows) {
    return MlpOutputs(p, rows, layers, norm);
  };
  ExpectSameGradients(reference, *net, *weights, inputs);
}

TEST(TabularMlp, HasTheGradientOfTheRecordedNet) {
  ExpectGradientsOfReference({{"hidden", {16, 8}}}, MixedInputs(), 2, false);
  ExpectGradientsOfReference({{"hidden", {16}}}, TabularInputs(5, {7, 3}, 4), 1, false);
}

TEST(TabularMlp, HasTheGradientOfTheRecordedNetWithBatchNorm) {
  ExpectGradientsOfReference({{"hidden", {16, 8}}, {"batch_norm", true}}, MixedInputs(), 2, true);
}

// Columns of few and of many categories are computed in two ways.
TEST(TabularMlp, HasTheGradientOfTheRecordedNetForAnyInputs) {
  const std::vector<std::vector<int64_t>> columns = {
      {}, {300}, {3}, {300, 7}, {7, 300}, {7, 300, 3}, {300, 400, 3, 500, 128, 129}};
  for (const auto& cardinalities : columns) {
    for (const int64_t numeric : {0, 4}) {
      if (cardinalities.empty() && numeric == 0) continue;
      for (const std::vector<int>& hidden : {std::vector<int>{}, std::vector<int>{6}}) {
        SCOPED_TRACE(testing::PrintToString(cardinalities) + " " + std::to_string(numeric));
        ExpectGradientsOfReference({{"hidden", hidden}}, TabularInputs(numeric, cardinalities),
                                   hidden.size(), false);
      }
    }
  }
}

TEST(TabularMlp, NamesItsParametersInOrder) {
  const auto net = KernelNets()
                       .at("tabular_mlp")({{"hidden", {4}}, {"batch_norm", true}}, MixedInputs())
                       .ValueOrDie();
  std::vector<std::string> names;
  for (const Variable& variable : net->parameters()) names.push_back(variable.name);
  EXPECT_EQ(names, (std::vector<std::string>{"embedding.0.weight", "embedding.1.weight",
                                             "dense.0.weight", "dense.0.bias", "norm.0.weight",
                                             "norm.0.bias", "output.weight", "output.bias"}));
  EXPECT_EQ(net->parameters()[0].shape, (std::vector<int64_t>{7, 4}));
  EXPECT_EQ(net->parameters()[2].shape, (std::vector<int64_t>{4, 4 + 2 + 5}));
  EXPECT_EQ(net->buffers().size(), 2u);
  EXPECT_EQ(net->least_rows(), 2);
}

// Predictions are computed by forward.h, training's outputs by LibTorch.
TEST(TabularMlp, PredictsWhatItTrains) {
  const NetInputs inputs = TabularInputs(5, {7, 300, 3}, 3);
  for (const bool norm : {false, true}) {
    const auto net = KernelNets()
                         .at("tabular_mlp")({{"hidden", {40, 8}}, {"batch_norm", norm}}, inputs)
                         .ValueOrDie();
    const auto weights = Weights::Make(*net).ValueOrDie();
    net->Initialise(1);
    const SyntheticRows made({.rows = 100, .numeric = 5, .cardinalities = {7, 300, 3}, .seed = 3});
    const at::Tensor predicted = TensorOf(net->Forward(made.batch(), nullptr)).clone();
    for (const int64_t i : {0, 6, 99}) {
      const at::Tensor one = TensorOf(net->Forward(made.batch().Slice(i, i + 1), nullptr));
      EXPECT_TRUE(torch::equal(one[0], predicted[i])) << i;
    }
    if (norm) continue;  // Training normalises by the batch.
    const uint64_t key = 1;
    EXPECT_TRUE(torch::allclose(TensorOf(net->Forward(made.batch(), &key)), predicted, 1e-5, 1e-6));
  }
}

TEST(TabularMlp, DropoutIsAFunctionOfItsKeyAlone) {
  const auto net = KernelNets()
                       .at("tabular_mlp")({{"hidden", {64}}, {"dropout", 0.5}}, MixedInputs())
                       .ValueOrDie();
  const auto weights = Weights::Make(*net).ValueOrDie();
  net->Initialise(1);
  const SyntheticRows made({.rows = 40, .numeric = 5, .cardinalities = {7, 3}, .seed = 3});
  const uint64_t keys[] = {5, 6};
  const at::Tensor one = TensorOf(net->Forward(made.batch(), &keys[0])).clone();
  const at::Tensor other = TensorOf(net->Forward(made.batch(), &keys[1])).clone();
  EXPECT_TRUE(torch::equal(one, TensorOf(net->Forward(made.batch(), &keys[0]))));
  EXPECT_FALSE(torch::equal(one, other));
}

// Drawn to the bound and not beyond it, by the formulas of protium/nets.h.
TEST(TabularMlp, BeginsWithWeightsWithinTheBoundThatWasChosen) {
  const auto largest = [](const char* initial_weights) {
    const auto net =
        KernelNets()
            .at("tabular_mlp")({{"hidden", {400}}, {"initial_weights", initial_weights}},
                               TabularInputs(100, {}))
            .ValueOrDie();
    const auto weights = Weights::Make(*net).ValueOrDie();
    net->Initialise(1);
    // The first layer's, [400, 100], lie first.
    return std::ranges::max(weights->parameters().first(40'000));
  };
  EXPECT_NEAR(largest("pytorch"), 0.1, 1e-4);              // 1 / sqrt(100)
  EXPECT_NEAR(largest("glorot"), std::sqrt(0.012), 1e-4);  // sqrt(6 / (100 + 400))
}

TEST(TabularMlp, RefusesOptionsThatMakeNoNet) {
  const auto why = [](const Json& options) {
    const auto made = KernelNets().at("tabular_mlp")(options, MixedInputs());
    return made.ok() ? "made" : FaultOf(made.status()).what;
  };
  EXPECT_EQ(why({{"dropout", 1.0}}), "net.dropout must be at least 0 and below 1, got 1");
  EXPECT_EQ(why({{"hidden", {2000000}}}), "net.hidden must be from 1 to 1000000, got 2000000");
  EXPECT_EQ(why({{"width", 3}}), "unknown key \"width\" in net");
  EXPECT_FALSE(KernelNets().at("tabular_mlp")(Json::object(), TabularInputs(0, {})).ok());
}

}  // namespace
}  // namespace protium
