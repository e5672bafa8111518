// SPDX-License-Identifier: Apache-2.0
// Compares each net with its exported TorchScript on the same rows and weights.
#include "deep/script_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "base/fault.h"
#include "deep/batch.h"
#include "deep/script_source.h"
#include "deep/testing/net_cases.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<torch::jit::IValue> ArgumentsOf(const NetConfig& config, const Batch& rows) {
  std::vector<torch::jit::IValue> values;
  for (const ScriptArgument& each : ScriptArguments(config)) {
    const bool list = each.name != "numeric" && each.name != "categories";
    const at::Tensor tensor = rows[list ? each.columns[0] : each.name];
    values.emplace_back(each.whole ? tensor.to(torch::kLong) : tensor.contiguous());
  }
  return values;
}

class Script : public testing::TestWithParam<NetCase> {};

TEST_P(Script, PredictsAsTheNetDoes) {
  const CasedNet cased(GetParam());
  const NetConfig& config = cased.config();
  const at::Tensor expected = cased.Outputs();
  auto module = MakeScript(config, cased.weights().Tensors());
  ASSERT_TRUE(module.ok()) << module.status();
  const torch::NoGradGuard no_graph;
  const at::Tensor made = module->forward(ArgumentsOf(config, Batch(cased.rows()))).toTensor();
  ASSERT_EQ(made.sizes(), expected.sizes());
  EXPECT_TRUE(torch::allclose(made, expected, 1e-5, 1e-6))
      << (made - expected).abs().max().item<float>();
}

INSTANTIATE_TEST_SUITE_P(Of, Script, testing::ValuesIn(NetCases()),
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
