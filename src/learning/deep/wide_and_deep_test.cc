// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <torch/types.h>

#include "base/fault.h"
#include "deep/testing/gradients_test.h"
#include "deep/testing/test_worlds.h"
#include "nets/kernel_net.h"

namespace protium {
namespace {

// `p` are the parameters of the wide part over two categorical columns, then those of the deep part
// over the columns `deep` with one hidden layer.
at::Tensor WideOutputs(const std::vector<at::Tensor>& p, const Batch& rows,
                       const std::vector<int64_t>& deep) {
  const at::Tensor categories = rows[kCategoriesField].to(torch::kLong);
  const at::Tensor wide = torch::embedding(p[0], categories.select(1, 0)) +
                          torch::embedding(p[1], categories.select(1, 1)) +
                          torch::linear(rows[kNumericField], p[2], p[3]);
  std::vector<at::Tensor> parts;
  size_t at = 4;
  for (const int64_t c : deep) parts.push_back(torch::embedding(p[at++], categories.select(1, c)));
  parts.push_back(rows[kNumericField]);
  const at::Tensor hidden = torch::relu(torch::linear(torch::cat(parts, 1), p[at], p[at + 1]));
  return wide + torch::linear(hidden, p[at + 2], p[at + 3]);
}

void ExpectGradientsOfReference(const Json& wide_only, const std::vector<int64_t>& deep) {
  for (const int64_t outputs : {1, 3}) {
    const NetInputs inputs = TabularInputs(4, {7, 300}, outputs);
    const auto net = KernelNets()
                         .at("wide_and_deep")({{"hidden", {5}}, {"wide_only", wide_only}}, inputs)
                         .ValueOrDie();
    const auto weights = Weights::Make(*net).ValueOrDie();
    net->Initialise(1);
    const auto reference = [&](const std::vector<at::Tensor>& p, const Batch& rows) {
      return WideOutputs(p, rows, deep);
    };
    ExpectSameGradients(reference, *net, *weights, inputs);
  }
}

TEST(WideAndDeep, HasTheGradientOfTheRecordedNet) {
  ExpectGradientsOfReference(Json::array(), {0, 1});
}

TEST(WideAndDeep, GivesColumnsThatAreWideOnlyNoEmbedding) {
  ExpectGradientsOfReference({"c0"}, {1});
  ExpectGradientsOfReference({"c1"}, {0});
  ExpectGradientsOfReference({"c1", "c0"}, {});
}

TEST(WideAndDeep, NamesTheParametersOfItsParts) {
  const auto net =
      KernelNets()
          .at("wide_and_deep")({{"hidden", {4}}, {"batch_norm", true}, {"wide_only", {"c0"}}},
                               TabularInputs(2, {7, 3}))
          .ValueOrDie();
  std::vector<std::string> names;
  for (const Variable& variable : net->parameters()) names.push_back(variable.name);
  EXPECT_EQ(names, (std::vector<std::string>{"wide.category.0.weight", "wide.category.1.weight",
                                             "wide.weight", "wide.bias", "deep.embedding.0.weight",
                                             "deep.dense.0.weight", "deep.dense.0.bias",
                                             "deep.norm.0.weight", "deep.norm.0.bias",
                                             "deep.output.weight", "deep.output.bias"}));
  EXPECT_EQ(net->buffers()[0].name, "deep.norm.0.running_mean");
  EXPECT_EQ(net->least_rows(), 2);
}

TEST(WideAndDeep, GivesTheSameBitsForAnyNumberOfWorkers) {
  const SyntheticRows rows({.rows = 300, .numeric = 4, .cardinalities = {7, 300}, .seed = 8});
  const auto blocks = MakeSteps(rows, {16, 15, 16, 17, 14, 16, 15, 16, 2, 0, 3, 2});
  const NetMaker make = [] {
    return KernelNets().at("wide_and_deep")(
        {{"hidden", {9, 5}}, {"dropout", 0.2}, {"batch_norm", true}}, TabularInputs(4, {7, 300}));
  };
  ExpectSameBitsInEveryWorld(blocks, make);
  ExpectSameBitsInEveryWorld(blocks, make, {.train = {.micro_batches = 2}});
}

TEST(WideAndDeep, RefusesColumnsThatItDoesNotHave) {
  const auto why = [](const Json& options, const NetInputs& inputs) {
    return FaultOf(KernelNets().at("wide_and_deep")(options, inputs).status()).what;
  };
  EXPECT_EQ(why({{"wide_only", {"c7"}}}, TabularInputs(4, {7})),
            "\"c7\" is not among the categorical columns");
  EXPECT_EQ(why({{"wide_only", {"c0"}}}, TabularInputs(0, {7})), "the dense layers have no inputs");
  EXPECT_EQ(why(Json::object(), TabularInputs(0, {})), "the net wide_and_deep has no inputs");
}

}  // namespace
}  // namespace protium
