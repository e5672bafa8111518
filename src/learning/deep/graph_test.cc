// SPDX-License-Identifier: Apache-2.0
// Compares each net with its graph, which ONNX Runtime computes, on the same rows and weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/fault.h"
#include "deep/batch.h"
#include "deep/testing/net_cases.h"
#include "onnx_graph/net.h"
#include "onnx_runtime/net.h"

namespace protium {
namespace {

onnx::GraphedNet GraphedOf(const NetConfig& config) {
  onnx::GraphedNet net{.net = config.net, .shape = ShapeOf(config)};
  net.shape.outputs = CasedNet::kOutputs;
  for (const ListInput& each : config.lists) net.lists.push_back({each.column, each.length});
  return net;
}

Safetensors FileOf(const Weights& weights) {
  const std::string bytes = SafetensorsBytes(weights.Tensors());
  const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
  return Safetensors::Parse({first, first + bytes.size()}, "weights").ValueOrDie();
}

NetTensor TensorFrom(const at::Tensor& given, bool whole) {
  const at::Tensor tensor = given.to(whole ? at::kLong : at::kFloat).contiguous();
  const auto* const first = static_cast<const std::byte*>(tensor.data_ptr());
  return {.element = whole ? NetElement::kInt64 : NetElement::kFloat,
          .shape = tensor.sizes().vec(),
          .numbers = {first, first + tensor.nbytes()}};
}

std::vector<NetTensor> InputsOf(const OnnxNet& net, const Batch& rows) {
  std::vector<NetTensor> inputs;
  for (const NetValue& each : net.inputs()) {
    const bool list = each.name.starts_with("list.");
    inputs.push_back(
        TensorFrom(rows[list ? "cells" : each.name], each.name == onnx::kCategoriesInput));
  }
  return inputs;
}

class AsGraph : public testing::TestWithParam<NetCase> {};

TEST_P(AsGraph, GivesTheOutputsOfTheNet) {
  if (!NumericsOfOnnx().ok()) GTEST_SKIP() << "no ONNX Runtime: ./dev setup --onnx brings it";
  const CasedNet cased(GetParam());
  const auto file = onnx::WriteNet(GraphedOf(cased.config()), FileOf(cased.weights()));
  ASSERT_TRUE(file.ok()) << Render(FaultOf(file.status()));
  const auto net = OnnxNet::OfBytes(file->bytes, "graph", file->work);
  ASSERT_TRUE(net.ok()) << Render(FaultOf(net.status()));
  const Batch rows(cased.rows());
  ASSERT_GE(net->height(), rows.size());
  const auto made = net->Run(InputsOf(*net, rows));
  ASSERT_TRUE(made.ok()) << Render(FaultOf(made.status()));
  const at::Tensor expected = cased.Outputs().contiguous();
  ASSERT_EQ(made->at(0).shape, expected.sizes().vec());
  const auto values = made->at(0).As<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    const float wanted = expected.const_data_ptr<float>()[i];
    EXPECT_NEAR(values[i], wanted, 1e-5 * std::max(1.0F, std::abs(wanted))) << "output " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, AsGraph, testing::ValuesIn(NetCases()),
                         [](const auto& info) { return std::string(info.param.name); });

// Weights of a stranger's file: each tensor left out in turn.
TEST(AsGraph, RefusesWeightsThatLackATensor) {
  for (const NetCase& each : NetCases()) {
    const CasedNet cased(each);
    const std::vector<NamedTensor> whole = cased.weights().Tensors();
    for (size_t i = 0; i < whole.size(); ++i) {
      if (whole[i].name.ends_with("num_batches_tracked")) continue;  // Only training reads it.
      std::vector<NamedTensor> some = whole;
      some.erase(some.begin() + ptrdiff_t(i));
      const std::string bytes = SafetensorsBytes(some);
      const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
      const Safetensors file =
          Safetensors::Parse({first, first + bytes.size()}, "weights").ValueOrDie();
      const auto written = onnx::WriteNet(GraphedOf(cased.config()), file);
      ASSERT_FALSE(written.ok()) << each.name << " without " << whole[i].name;
      EXPECT_THAT(FaultOf(written.status()).what, testing::HasSubstr(whole[i].name));
    }
  }
}

// Sizes of a stranger's net.json, of which products are made.
TEST(AsGraph, RefusesSizesBeyondAllTables) {
  const NetCase images{"cnn", R"({"name": "cnn", "filters": [4], "hidden": []})", 0, {}, 64};
  const CasedNet cased(images);
  onnx::GraphedNet net = GraphedOf(cased.config());
  net.lists[0].length = int64_t{1} << 40;
  EXPECT_THAT(FaultOf(onnx::WriteNet(net, FileOf(cased.weights())).status()).what,
              testing::HasSubstr("lists of 1099511627776 numbers"));
  net = GraphedOf(cased.config());
  net.net.options["filters"] = {2'000'000'000};
  EXPECT_THAT(FaultOf(onnx::WriteNet(net, FileOf(cased.weights())).status()).what,
              testing::HasSubstr("\"conv.0.weight\" are not those of its filters"));
  const CasedNet tokens(NetCase{"tokens", R"({"name": "ft_transformer", "width": 8, "heads": 2})"});
  net = GraphedOf(tokens.config());
  net.shape.cardinalities[0] = int64_t{1} << 62;
  EXPECT_THAT(FaultOf(onnx::WriteNet(net, FileOf(tokens.weights())).status()).what,
              testing::HasSubstr("categories cannot be expressed"));
}

}  // namespace
}  // namespace protium
