// SPDX-License-Identifier: Apache-2.0
// Compares each net with its exported TorchScript on the same rows and weights.
#include "deep/script_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "base/fault.h"
#include "deep/batch.h"
#include "deep/float_tensor.h"
#include "deep/script_source.h"
#include "deep/torch_tasks.h"
#include "os/file.h"
#include "tensor/philox.h"
#include "tensor/testing/synthetic_rows.h"
#include "tensor/weights.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Case {
  const char* name;
  const char* net;
  int64_t numeric = 3;
  std::vector<int64_t> cardinalities = {5, 200};
  int64_t list = 0;    // Length of the column "cells".
  int64_t tokens = 0;  // Its numbers are words below this.
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const Case kCases[] = {
    {"linear", R"({"name": "linear"})"},
    {"linear_of_categories", R"({"name": "linear"})", 0},
    {"tabular_mlp", R"({"name": "tabular_mlp", "hidden": [8, 4], "batch_norm": true})"},
    {"tabular_mlp_of_numbers", R"({"name": "tabular_mlp", "hidden": [8]})", 3, {}},
    {"factorization_machine", R"({"name": "factorization_machine", "factors": 3})"},
    {"wide_and_deep",
     R"({"name": "wide_and_deep", "hidden": [8], "batch_norm": true, "wide_only": ["c0"]})"},
    {"tabm", R"({"name": "tabm", "members": 3, "hidden": [8, 5], "pieces": 4})"},
    {"tabm_of_whole_numbers", R"({"name": "tabm", "members": 2, "hidden": [8], "pieces": 0})"},
    {"tabm_of_one_piece", R"({"name": "tabm", "hidden": [8], "pieces": 1})", 3, {}},
    {"cnn",
     R"({"name": "cnn", "filters": [4, 3], "batch_norm": true, "divide_by": 3, "hidden": [5]})",
     2,
     {},
     64},
    {"cnn_without_norm",
     R"({"name": "cnn", "filters": [4], "kernel": 5, "hidden": []})",
     0,
     {},
     64},
    {"text_classifier",
     R"({"name": "text_classifier", "vocabulary": 30, "embedding": 8})",
     2,
     {},
     6,
     33},
    {"text_classifier_with_blocks",
     R"({"name": "text_classifier", "vocabulary": 30, "embedding": 8, "layers": 2, "heads": 2})",
     0,
     {},
     6,
     33},
    {"ft_transformer", R"({"name": "ft_transformer", "width": 8, "heads": 2, "layers": 2})"}};

NetConfig ConfigOf(const Case& c) {
  NetConfig config;
  const Json net = ParseJson(c.net).ValueOrDie();
  config.net.name = net["name"];
  config.net.options = net;
  config.net.options.erase("name");
  for (int64_t i = 0; i < c.numeric; ++i) config.numeric.push_back("n" + std::to_string(i));
  for (size_t i = 0; i < c.cardinalities.size(); ++i) {
    config.categorical.push_back({"c" + std::to_string(i), c.cardinalities[i]});
  }
  if (c.list > 0) config.lists.push_back({"cells", c.list});
  return config;
}

std::vector<torch::jit::IValue> ArgumentsOf(const NetConfig& config, const Batch& rows) {
  std::vector<torch::jit::IValue> values;
  for (const ScriptArgument& each : ScriptArguments(config)) {
    const bool list = each.name != "numeric" && each.name != "categories";
    const at::Tensor tensor = rows[list ? each.columns[0] : each.name];
    values.emplace_back(each.whole ? tensor.to(torch::kLong) : tensor.contiguous());
  }
  return values;
}

class Script : public testing::TestWithParam<Case> {};

TEST_P(Script, PredictsAsTheNetDoes) {
  const Case& c = GetParam();
  const NetConfig config = ConfigOf(c);
  std::vector<ListColumn> lists;
  if (c.list > 0) lists.push_back({"cells", c.list});
  const NetInputs inputs = TabularInputs(c.numeric, c.cardinalities, 2, lists);
  const auto net = BuildNet(TorchRows().nets, config.net.name, config.net.options, inputs);
  ASSERT_TRUE(net.ok()) << net.status();
  const auto weights = Weights::Make(**net).ValueOrDie();
  (*net)->Initialise(3);
  // A linear net starts at zero, and batch statistics start where they change nothing.
  DrawUniform(4, 0.1f, 1, weights->parameters());
  DrawUniform(5, 0.5f, 2, weights->buffers());
  weights->Upload();
  const SyntheticRows rows({.rows = 9,
                            .numeric = c.numeric,
                            .cardinalities = c.cardinalities,
                            .seed = 8,
                            .lists = lists,
                            .tokens = c.tokens});
  const at::Tensor expected = TensorOf((*net)->Forward(rows.batch(), nullptr)).clone();
  auto module = MakeScript(config, weights->Tensors());
  ASSERT_TRUE(module.ok()) << module.status();
  const torch::NoGradGuard no_graph;
  const at::Tensor made = module->forward(ArgumentsOf(config, Batch(rows.batch()))).toTensor();
  ASSERT_EQ(made.sizes(), expected.sizes());
  EXPECT_TRUE(torch::allclose(made, expected, 1e-5, 1e-6))
      << (made - expected).abs().max().item<float>();
}

INSTANTIATE_TEST_SUITE_P(Of, Script, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(OwnModule, TakesAllOfItsTensorsOrNone) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const std::string file = (folder.path() / "net.pt").string();
  torch::jit::Module module("net");
  module.register_parameter("scale", torch::ones({2}), false);
  module.register_buffer("shift", torch::zeros({2}));
  module.define("def forward(self, x):\n  return x * self.scale + self.shift\n");
  module.save(file);
  NetConfig config;
  config.net = {.name = "torchscript", .options = {{"file", file}}};
  std::vector<float> scale = {2, 3}, shift = {1, 1};
  const std::vector<NamedTensor> whole = {
      {.name = "scale", .dtype = "F32", .shape = {2}, .data = std::as_bytes(std::span(scale))},
      {.name = "shift", .dtype = "F32", .shape = {2}, .data = std::as_bytes(std::span(shift))}};
  auto made = MakeScript(config, whole);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(made->forward({torch::ones({2})}).toTensor().equal(torch::tensor({3.0f, 4.0f})));
  const Fault fault = FaultOf(MakeScript(config, {whole[0]}).status());
  EXPECT_EQ(fault.what, "the weights do not fit the net: shift");
}

TEST(ScriptArguments, HaveNamesThatPythonTakes) {
  NetConfig config;
  config.numeric = {"a"};
  config.lists = {{"pixels", 4}, {"of a day", 3}, {"class", 2}};
  std::vector<std::string> names;
  for (const ScriptArgument& each : ScriptArguments(config)) names.push_back(each.name);
  EXPECT_THAT(names, ElementsAre("numeric", "pixels", "list_1", "list_2"));
}

TEST(ScriptSource, IsNotWrittenOfNetsOfExtensions) {
  NetConfig config;
  config.net.name = "own";
  const Fault fault = FaultOf(WriteScript(config).status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_THAT(fault.what, HasSubstr("\"own\""));
}

}  // namespace
}  // namespace protium
