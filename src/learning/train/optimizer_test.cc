// SPDX-License-Identifier: Apache-2.0
// deep/optimizer_test.cc tests that the rules are LibTorch's.
#include "train/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/fault.h"
#include "catalogue/catalogue.h"
#include "nets/kernel_net.h"
#include "tensor/philox.h"
#include "tensor/testing/synthetic_rows.h"

namespace protium {
namespace {

// Dense layers from 17 numbers to 40 and to 1.
struct Trained {
  std::unique_ptr<Net> net =
      *KernelNets().at("tabular_mlp")({{"hidden", {40}}}, TabularInputs(17, {}));
  std::unique_ptr<Weights> weights = *Weights::Make(*net);
  std::vector<float> sum = std::vector<float>(size_t(weights->size()));
  Trained() { net->Initialise(1); }
  std::vector<float> ones() const { return std::vector<float>(weights->parts().size(), 1.0f); }
  std::vector<float> Values(size_t parameter) const {
    const auto [offset, count] = weights->parts()[parameter];
    const auto values = weights->parameters().subspan(size_t(offset), size_t(count));
    return {values.begin(), values.end()};
  }
};

// The change of each value.
std::vector<float> Moved(const std::vector<float>& before, const std::vector<float>& after) {
  std::vector<float> moved;
  for (size_t i = 0; i < before.size(); ++i) moved.push_back(after[i] - before[i]);
  return moved;
}

MATCHER_P(AllNear, value, "") {
  return testing::Value(arg, testing::Each(testing::FloatNear(value, 1e-6f)));
}

// Two steps computed by hand; g is the gradient, w the weight.
TEST(Optimizer, MakesTheStepsThatItsRulesSay) {
  const auto after = [](const Choice& choice, float g, int steps) {
    Trained t;
    std::ranges::fill(t.weights->parameters(), 1.0f);
    Optimizer optimizer = *Optimizer::Make(choice, *t.weights);
    const std::vector<float> sum(t.sum.size(), g);
    for (int s = 0; s < steps; ++s) EXPECT_TRUE(optimizer.Step({.sum = {sum}}, t.ones()));
    return double(t.weights->parameters().front());
  };
  EXPECT_NEAR(after(Sgd({.learning_rate = 0.1, .momentum = 0.5}), 2, 2), 1 - 0.2 - 0.3, 1e-6);
  EXPECT_NEAR(after(Sgd({.learning_rate = 0.1, .momentum = 0.5, .nesterov = true}), 2, 1),
              1 - 0.1 * (2 + 0.5 * 2), 1e-6);
  EXPECT_NEAR(after(Adagrad({.learning_rate = 0.1}), 2, 2), 1 - 0.1 - 0.1 * 2 / std::sqrt(8.0),
              1e-6);
  EXPECT_NEAR(after(AdamW({.learning_rate = 0.1, .weight_decay = 0.5}), 2, 1), 0.95 - 0.1, 1e-6);
  const double root = std::sqrt(0.01 * 4);
  EXPECT_NEAR(after(Rmsprop({.learning_rate = 0.01}), 2, 1), 1 - 0.01 * 2 / root, 1e-5);
}

// Two rows of two weights each; the mean square of the first row's gradient is (9 + 1) / 2.
TEST(Optimizer, RowwiseAdagradHasOneSumForEachRow) {
  const std::vector<float> sum = {6, -2, 0, 4};
  std::vector<float> weights = {1, 1, 1, 1}, squares = {4, 0};
  ASSERT_TRUE(RowwiseAdagradUpdate({.scale = {.divisor = 2}, .rate = 0.5}, sum.data(), 2, 2,
                                   weights.data(), squares.data()));
  EXPECT_EQ(squares, (std::vector<float>{9, 2}));
  const float second = 1 - float(0.5 * 2 / std::sqrt(2.0));
  EXPECT_THAT(weights, testing::ElementsAre(0.5f, testing::FloatEq(1 + 0.5f / 3), 1,
                                            testing::FloatEq(second)));
}

TEST(Optimizer, AdamsFirstStepIsTheLearningRate) {
  Trained t;
  std::ranges::fill(t.weights->parameters(), 0.0f);
  Optimizer optimizer = *Optimizer::Make(Adam({.learning_rate = 1, .epsilon = 1e-30}), *t.weights);
  const std::vector<float> sum(t.sum.size(), 3.0f);
  ASSERT_TRUE(optimizer.Step({.sum = {sum}}, t.ones()));
  EXPECT_THAT(t.weights->parameters(), testing::Each(testing::FloatNear(-1, 5e-7)));
}

TEST(Optimizer, LeavesParametersWithoutGradientAlone) {
  Trained t;
  const auto first = t.Values(0), second = t.Values(1);
  Optimizer optimizer = *Optimizer::Make(Sgd({.learning_rate = 1e-3, .momentum = 0.9}), *t.weights);
  const std::vector<float> sum(t.sum.size(), 1.0f);
  ASSERT_TRUE(optimizer.Step({.sum = {sum}}, std::vector<float>{1, 0, 1, 1}));
  EXPECT_EQ(t.Values(1), second);
  EXPECT_THAT(Moved(first, t.Values(0)), AllNear(-1e-3f));
}

TEST(Optimizer, CutsEachElementOfTheGradient) {
  Trained t;
  const auto before = t.Values(0);
  Optimizer optimizer = *Optimizer::Make(Sgd({.learning_rate = 1}), *t.weights);
  std::vector<float> sum(t.sum.size(), 8.0f);
  sum[0] = -8;
  sum[1] = 0.5;
  ASSERT_TRUE(optimizer.Step({.sum = {sum}, .divisor = 2, .limit = 0.25}, t.ones()));
  const auto moved = Moved(before, t.Values(0));
  EXPECT_NEAR(moved[0], 0.25, 1e-6);
  EXPECT_NEAR(moved[1], -0.25, 1e-6);
  EXPECT_NEAR(moved[2], -0.25, 1e-6);
}

TEST(Optimizer, TakesRatesOfParametersByName) {
  Trained t;
  const auto& parameters = t.net->parameters();
  const auto rates = *ParameterRates(
      {{.name = "dense.*.bias", .rate = 0}, {.name = "dense.*", .rate = 0.5}}, parameters);
  EXPECT_THAT(rates, testing::ElementsAre(0.5, 0, 1, 1));
  const auto weight = t.Values(0), bias = t.Values(1), output = t.Values(2);
  Optimizer optimizer = *Optimizer::Make(Sgd({.learning_rate = 0.5}), *t.weights, rates);
  const std::vector<float> sum(t.sum.size(), 1.0f);
  ASSERT_TRUE(optimizer.Step({.sum = {sum}}, t.ones()));
  EXPECT_THAT(Moved(weight, t.Values(0)), AllNear(-0.25f));
  EXPECT_EQ(t.Values(1), bias);
  EXPECT_THAT(Moved(output, t.Values(2)), AllNear(-0.5f));
  const Fault fault = FaultOf(ParameterRates({{.name = "embed*"}}, parameters).status());
  EXPECT_EQ(fault.what, "no parameter of the net is called \"embed*\"");
  EXPECT_THAT(fault.fix, testing::HasSubstr("dense.0.weight, dense.0.bias"));
}

TEST(Optimizer, LeavesFrozenParametersOutOfTheNorm) {
  Trained t;
  const Optimizer optimizer = *Optimizer::Make(Adam(), *t.weights, {0, 0, 0, 1});
  const std::vector<float> sum(t.sum.size(), 3.0f);
  EXPECT_EQ(optimizer.Norm({sum}), 3.0);  // The output's only bias.
}

TEST(Optimizer, IsChosenFromTheCatalogue) {
  for (const CatalogueRow& row : BuiltInCatalogue().optimizers) {
    EXPECT_TRUE(MakeUpdateRule({row.name, *row.complete(Json::object(), "")}).ok()) << row.name;
  }
  EXPECT_THAT(FaultOf(MakeUpdateRule({"adamm"}).status()).fix, testing::HasSubstr("adam"));
}

TEST(Optimizer, GivesTheSameBitsForAnyNumberOfThreads) {
  const auto run = [](int32_t threads, float last) {
    const auto net =
        *KernelNets().at("tabular_mlp")({{"hidden", {2100, 1500}}}, TabularInputs(3, {}));
    const auto weights = *Weights::Make(*net);
    net->Initialise(1);
    Optimizer optimizer = *Optimizer::Make(Adam(), *weights, {}, threads);
    std::vector<float> sum(size_t(weights->size()));
    DrawUniform(7, -1, 1, sum);
    sum[size_t(weights->parts()[2].offset + weights->parts()[2].count) - 1] = last;
    const std::vector<float> ones(weights->parts().size(), 1.0f);
    const bool finite = optimizer.Step({.sum = {sum}, .divisor = 4}, ones);
    return std::pair(finite, weights->Hash());
  };
  EXPECT_EQ(run(4, 0.5f), run(1, 0.5f));
  EXPECT_TRUE(run(4, 0.5f).first);
  EXPECT_FALSE(run(4, std::numeric_limits<float>::quiet_NaN()).first);
}

}  // namespace
}  // namespace protium
