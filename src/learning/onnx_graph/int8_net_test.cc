// SPDX-License-Identifier: Apache-2.0
// Nets in int8 as graphs, computed by ONNX Runtime, beside nets/forward.h in int8.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <ostream>

#include "base/fault.h"
#include "nets/forward.h"
#include "onnx_graph/net.h"
#include "onnx_runtime/net.h"
#include "tensor/testing/synthetic_rows.h"

namespace protium {
namespace {

struct Case {
  const char* name;
  const char* net;
  const char* options;
  int64_t numbers;
  std::vector<int64_t> cardinalities;
  int64_t outputs;
  bool exact = true;  // Nothing around its dense layers can send a value to another level.
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

constexpr int64_t kRows = 500;

class Int8Net : public testing::TestWithParam<Case> {
 protected:
  Int8Net() {
    graphed_.shape.categorical.resize(GetParam().cardinalities.size());
    layers_ = DescribeNet(graphed_.net, graphed_.shape).ValueOrDie();
    std::vector<NamedTensor> tensors;
    for (const Layer& layer : layers_) {
      for (const LayerTensor& each : layer.parameters) AddTensor(each, -0.3F);
      for (const LayerTensor& each : layer.buffers) AddTensor(each, 0.1F);
    }
    for (const auto& [name, shaped] : weights_) {
      tensors.push_back({name, "F32", shaped.first, std::as_bytes(std::span(shaped.second))});
    }
    bytes_ = SafetensorsBytes(tensors);
  }

  // Values above `low` by up to 0.6.
  void AddTensor(const LayerTensor& tensor, float low) {
    std::vector<float> values(size_t(tensor.count()));
    DrawUniform(weights_.size() + 1, low, low + 0.6F, values);
    weights_[tensor.name] = {tensor.shape, std::move(values)};
  }

  Result<OnnxNet> Graph(bool int8) const {
    onnx::GraphedNet graphed = graphed_;
    graphed.precision = int8 ? WeightPrecision::kInt8 : WeightPrecision::kFloat32;
    const auto* const first = reinterpret_cast<const std::byte*>(bytes_.data());
    PT_LET(const Safetensors file, Safetensors::Parse({first, first + bytes_.size()}, "weights"));
    PT_LET(const onnx::NetFile graph, onnx::WriteNet(graphed, file));
    return OnnxNet::OfBytes(graph.bytes, "graph", graph.work);
  }

  std::vector<float> ByOurs() const {
    const auto find = [&](const std::string& name) -> std::optional<NetWeight> {
      const auto found = weights_.find(name);
      if (found == weights_.end()) return std::nullopt;
      return NetWeight{found->second.first, found->second.second.data()};
    };
    const auto net = MakeForward(layers_, find, nullptr, true).ValueOrDie();
    ForwardScratch scratch;
    std::vector<float> out(size_t(kRows * GetParam().outputs));
    net->Predict(packed(), scratch, out.data());
    return out;
  }

  std::vector<float> ByOnnxRuntime(const OnnxNet& net) const {
    std::vector<float> out;
    for (int64_t begin = 0; begin < kRows; begin += net.height()) {
      const int64_t end = std::min(kRows, begin + net.height());
      std::vector<NetTensor> inputs;
      if (GetParam().numbers > 0) inputs.push_back(Numbers(begin, end));
      if (!GetParam().cardinalities.empty()) inputs.push_back(Categories(begin, end));
      const auto made = net.Run(std::move(inputs)).ValueOrDie();
      const auto values = made.front().As<float>();
      out.insert(out.end(), values.begin(), values.end());
    }
    return out;
  }

 private:
  PackedRows packed() const { return {rows_.schema(), rows_.batch().row(0), kRows}; }

  template <class To, class From>
  NetTensor TensorOf(NetElement element, const FieldRows<From>& field, int64_t width, int64_t begin,
                     int64_t end) const {
    NetTensor tensor{.element = element, .shape = {end - begin, width}};
    tensor.numbers.resize(size_t((end - begin) * width) * sizeof(To));
    auto* to = reinterpret_cast<To*>(tensor.numbers.data());
    for (int64_t row = begin; row < end; ++row) to = std::copy_n(field.at(row), width, to);
    return tensor;
  }
  NetTensor Numbers(int64_t begin, int64_t end) const {
    return TensorOf<float>(NetElement::kFloat, packed().floats(kNumericField), GetParam().numbers,
                           begin, end);
  }
  NetTensor Categories(int64_t begin, int64_t end) const {
    return TensorOf<int64_t>(NetElement::kInt64, packed().ints(kCategoriesField),
                             int64_t(GetParam().cardinalities.size()), begin, end);
  }

  onnx::GraphedNet graphed_{.net = {GetParam().net, Json::parse(GetParam().options)},
                            .shape = {.cardinalities = GetParam().cardinalities,
                                      .numeric = GetParam().numbers,
                                      .outputs = GetParam().outputs}};
  const SyntheticRows rows_{{.rows = kRows,
                             .numeric = GetParam().numbers,
                             .cardinalities = GetParam().cardinalities,
                             .seed = 9}};
  Layers layers_;
  std::map<std::string, std::pair<std::vector<int64_t>, std::vector<float>>> weights_;
  std::string bytes_;
};

TEST_P(Int8Net, GivesTheOutputsOfOurs) {
  if (!NumericsOfOnnx().ok()) GTEST_SKIP() << "no ONNX Runtime: ./dev setup --onnx brings it";
  const auto net = Graph(true);
  ASSERT_TRUE(net.ok()) << Render(FaultOf(net.status()));
  EXPECT_TRUE(net->outline().operators.contains("MatMulInteger"));
  const std::vector<float> ours = ByOurs(), theirs = ByOnnxRuntime(*net);
  ASSERT_EQ(theirs.size(), ours.size());
  const auto outputs = size_t(GetParam().outputs);
  size_t apart = 0;
  for (size_t i = 0; i < ours.size(); ++i) {
    const float largest = std::max(1.0F, std::abs(ours[i]));
    EXPECT_NEAR(theirs[i], ours[i], 0.05 * largest) << i;
    if (std::abs(theirs[i] - ours[i]) > 1e-5 * largest) ++apart;
  }
  EXPECT_LE(apart, GetParam().exact ? 0 : ours.size() / 20) << "of " << kRows << " x " << outputs;
  // It is not merely float32.
  const auto exact = Graph(false);
  ASSERT_TRUE(exact.ok()) << Render(FaultOf(exact.status()));
  EXPECT_FALSE(exact->outline().operators.contains("MatMulInteger"));
  EXPECT_NE(ByOnnxRuntime(*exact), theirs);
}

INSTANTIATE_TEST_SUITE_P(
    Of, Int8Net,
    testing::Values(
        Case{"Mlp", "tabular_mlp", R"({"hidden": [32, 24]})", 20, {7, 300, 3, 129, 128}, 1},
        Case{"MlpOfCategories", "tabular_mlp", R"({"hidden": [32, 24]})", 0, {300, 5}, 18},
        Case{"MlpWithNorm",
             "tabular_mlp",
             R"({"hidden": [32, 24], "batch_norm": true})",
             20,
             {7, 300},
             1,
             false},
        Case{"Linear", "linear", R"({})", 20, {7, 300}, 17},
        Case{"WideAndDeep", "wide_and_deep", R"({"hidden": [32, 16]})", 20, {7, 300}, 16},
        Case{"Dlrm",
             "dlrm",
             R"({"bottom": [32], "top": [32, 16], "embedding": 16})",
             20,
             {7, 300},
             1,
             false},
        Case{"Tabm", "tabm", R"({"members": 4, "hidden": [32, 20]})", 20, {7, 300}, 17, false}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace protium
