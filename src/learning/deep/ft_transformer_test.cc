// SPDX-License-Identifier: Apache-2.0
#include "deep/ft_transformer.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <map>

#include "base/fault.h"
#include "deep/testing/gradients_test.h"
#include "deep/testing/test_worlds.h"

namespace protium {
namespace {

constexpr int64_t kTokenWidth = 6, kHeads = 2;

Json FtJson(int layers) {
  return {{"width", kTokenWidth},
          {"heads", kHeads},
          {"layers", layers},
          {"attention_dropout", 0.0},
          {"feed_forward_dropout", 0.0}};
}

using Named = std::map<std::string, at::Tensor>;

at::Tensor Dense(const Named& p, const std::string& name, const at::Tensor& x) {
  return torch::linear(x, p.at(name + ".weight"), p.at(name + ".bias"));
}

at::Tensor Norm(const Named& p, const std::string& name, const at::Tensor& x) {
  return torch::layer_norm(x, {kTokenWidth}, p.at(name + ".weight"), p.at(name + ".bias"));
}

// softmax(q k' / sqrt(width of a head)) v, head by head.
at::Tensor Attend(const Named& p, const std::string& block, const at::Tensor& x) {
  const at::Tensor query = Dense(p, block + "query", x);
  const auto both = Dense(p, block + "key_value", x).chunk(2, 2);
  const int64_t each = kTokenWidth / kHeads;
  std::vector<at::Tensor> heads;
  for (int64_t h = 0; h < kHeads; ++h) {
    const auto part = [&](const at::Tensor& t) { return t.narrow(2, h * each, each); };
    const at::Tensor scores = torch::matmul(part(query), part(both[0]).transpose(1, 2));
    const at::Tensor shares = torch::softmax(scores / std::sqrt(double(each)), 2);
    heads.push_back(torch::matmul(shares, part(both[1])));
  }
  return Dense(p, block + "attended", torch::cat(heads, 2));
}

// As in the paper, for all tokens in every block.
at::Tensor FtOutputs(const Named& p, const Batch& rows, int layers) {
  std::vector<at::Tensor> tokens{p.at("first").expand({rows.size(), 1, -1})};
  if (rows.has(kNumericField)) {
    tokens.push_back(rows[kNumericField].unsqueeze(2) * p.at("number.weight") +
                     p.at("number.bias"));
  }
  if (rows.has(kCategoriesField)) {
    const at::Tensor begin = torch::tensor({0, 7});
    tokens.push_back(torch::embedding(p.at("category.weight"), rows[kCategoriesField] + begin) +
                     p.at("category.bias"));
  }
  at::Tensor x = torch::cat(tokens, 1);
  for (int b = 0; b < layers; ++b) {
    const std::string block = "block." + std::to_string(b) + ".";
    x = x + Attend(p, block, b == 0 ? x : Norm(p, block + "attention_norm", x));
    const auto parts = Dense(p, block + "up", Norm(p, block + "inner_norm", x)).chunk(2, 2);
    x = x + Dense(p, block + "down", parts[0] * torch::relu(parts[1]));
  }
  return Dense(p, "output", torch::relu(Norm(p, "norm", x.select(1, 0))));
}

TEST(FtTransformer, HasTheGradientOfTheFormulasOfThePaper) {
  const NetInputs inputs[] = {TabularInputs(4, {7, 3}), TabularInputs(4, {}, 3),
                              TabularInputs(0, {7, 3})};
  for (const NetInputs& each : inputs) {
    for (const int layers : {1, 2}) {
      const auto net = MakeFtTransformer(FtJson(layers), each).ValueOrDie();
      const auto weights = Weights::Make(*net).ValueOrDie();
      net->Initialise(1);
      const auto reference = [&](const std::vector<at::Tensor>& parameters, const Batch& rows) {
        Named named;
        for (size_t i = 0; i < parameters.size(); ++i) {
          named[net->parameters()[i].name] = parameters[i];
        }
        return FtOutputs(named, rows, layers);
      };
      ExpectSameGradients(reference, *net, *weights, each);
    }
  }
}

TEST(FtTransformer, GivesTheSameBitsForAnyNumberOfWorkers) {
  const SyntheticRows rows({.rows = 300, .numeric = 4, .cardinalities = {7, 3}, .seed = 8});
  const auto blocks = MakeSteps(rows, {16, 15, 16, 17, 14, 16, 15, 16, 2, 0, 3, 2});
  for (const bool bfloat16 : {false, true}) {
    NetInputs inputs = TabularInputs(4, {7, 3});
    inputs.bfloat16 = bfloat16;
    const NetMaker make = WithTorch([&] { return MakeFtTransformer(FtJson(2), inputs); });
    ExpectSameBitsInEveryWorld(blocks, make);
    ExpectSameBitsInEveryWorld(blocks, make, {.train = {.micro_batches = 3}});
  }
}

TEST(FtTransformer, DropoutIsAFunctionOfItsKeyAlone) {
  for (const char* option : {"attention_dropout", "feed_forward_dropout", "residual_dropout"}) {
    Json options = FtJson(2);
    options[option] = 0.5;
    const auto net = MakeFtTransformer(options, TabularInputs(4, {7, 3})).ValueOrDie();
    const auto weights = Weights::Make(*net).ValueOrDie();
    net->Initialise(1);
    const SyntheticRows made({.rows = 40, .numeric = 4, .cardinalities = {7, 3}, .seed = 3});
    const uint64_t keys[] = {5, 6};
    const at::Tensor one = TensorOf(net->Forward(made.batch(), &keys[0])).clone();
    const at::Tensor other = TensorOf(net->Forward(made.batch(), &keys[1])).clone();
    EXPECT_TRUE(torch::equal(one, TensorOf(net->Forward(made.batch(), &keys[0])))) << option;
    EXPECT_FALSE(torch::equal(one, other)) << option;
  }
}

TEST(FtTransformer, RefusesOptionsAndColumnsThatMakeNoNet) {
  Json options = FtJson(1);
  options["heads"] = 4;
  EXPECT_EQ(FaultOf(MakeFtTransformer(options, TabularInputs(4, {})).status()).what,
            "net.heads must be a divisor of 6, got 4");
  EXPECT_EQ(FaultOf(MakeFtTransformer(FtJson(1), TabularInputs(0, {})).status()).what,
            "the net ft_transformer has no inputs");
}

}  // namespace
}  // namespace protium
