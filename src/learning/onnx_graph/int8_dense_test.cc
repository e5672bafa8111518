// SPDX-License-Identifier: Apache-2.0
// A layer in int8, computed by ONNX Runtime: the same bits as nets/int8_panels.h.
#include "onnx_graph/int8_dense.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "nets/int8_panels.h"
#include "onnx_runtime/net.h"

namespace protium::onnx {
namespace {

constexpr int64_t kInputs = 37, kOutputs = 21, kWidth = 32;  // No whole groups, no whole panels.

// Irregular numbers.
std::vector<float> Irregular(int64_t count, int64_t from = 0) {
  std::vector<float> values;
  for (int64_t i = from; i < from + count; ++i) {
    values.push_back(float((i * 7919 % 1009) - 504) / 257);
  }
  return values;
}

std::vector<float> ByOurs(const std::vector<float>& weight, const std::vector<float>& bias,
                          const std::vector<float>& in) {
  const auto rows = int64_t(in.size()) / kInputs;
  std::vector<float> sums(size_t(rows * kWidth), 0), out;
  for (int64_t i = 0; i < rows; ++i) std::ranges::copy(bias, sums.begin() + i * kWidth);
  Int8Scratch scratch;
  Int8Panels(weight, kInputs, kOutputs).Add(in.data(), kInputs, rows, sums.data(), scratch);
  for (int64_t i = 0; i < rows; ++i) {
    out.insert(out.end(), sums.begin() + i * kWidth, sums.begin() + i * kWidth + kOutputs);
  }
  return out;
}

std::vector<float> ByOnnxRuntime(const std::vector<float>& weight, const std::vector<float>& bias,
                                 const std::vector<float>& in) {
  Graph graph;
  const Value x = graph.Input("x", kFloat, kInputs), sums = graph.Floats(bias, {kOutputs});
  graph.Output("y", AddInInt8(graph, x, RoundToInt8(weight, kInputs, kOutputs), sums), kOutputs);
  const OnnxNet net = OnnxNet::OfBytes(graph.Bytes().ValueOrDie(), "test", 0).ValueOrDie();
  NetTensor rows{.element = NetElement::kFloat,
                 .shape = {int64_t(in.size()) / kInputs, kInputs},
                 .numbers = std::vector<std::byte>(in.size() * sizeof(float))};
  std::memcpy(rows.numbers.data(), in.data(), rows.numbers.size());
  const std::vector<NetTensor> made = net.Run({rows}).ValueOrDie();
  const auto values = made.front().As<float>();
  return {values.begin(), values.end()};
}

void ExpectSameBits(const std::vector<float>& weight, const std::vector<float>& in) {
  if (!NumericsOfOnnx().ok()) GTEST_SKIP() << "no ONNX Runtime: ./dev setup --onnx brings it";
  const std::vector<float> bias = Irregular(kOutputs, 77);
  const std::vector<float> ours = ByOurs(weight, bias, in),
                           theirs = ByOnnxRuntime(weight, bias, in);
  ASSERT_EQ(theirs.size(), ours.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    if (std::isnan(ours[i])) {
      EXPECT_TRUE(std::isnan(theirs[i])) << i << ": " << theirs[i];
    } else {
      EXPECT_EQ(std::bit_cast<uint32_t>(theirs[i]), std::bit_cast<uint32_t>(ours[i]))
          << i << ": " << theirs[i] << ", ours " << ours[i];
    }
  }
}

TEST(Int8Dense, HasTheBitsOfOurOwn) {
  ExpectSameBits(Irregular(kInputs * kOutputs), Irregular(40 * kInputs, 9));
}

TEST(Int8Dense, HasThemForRowsOfEveryRangeAndAColumnOfZeros) {
  std::vector<float> weight = Irregular(kInputs * kOutputs);
  for (int64_t k = 0; k < kInputs; ++k) weight[size_t(k * kOutputs + 3)] = 0;
  std::vector<float> in = Irregular(6 * kInputs, 3);
  const float factors[] = {0, 1e-33F, 1e30F, -1e-20F, 1, 3e37F};
  for (size_t i = 0; i < in.size(); ++i) in[i] *= factors[i / kInputs];
  for (int64_t k = 0; k < kInputs; ++k) {
    float& positive = in[size_t(4 * kInputs + k)];
    positive = std::abs(positive);  // A row without a negative value.
  }
  ExpectSameBits(weight, in);
}

// The largest sums of pairs, which must not saturate.
TEST(Int8Dense, HasThemForTheLargestSums) {
  ExpectSameBits(std::vector<float>(kInputs * kOutputs, -2.0F), std::vector<float>(3 * kInputs, 5));
}

TEST(Int8Dense, OfARowThatIsNotFiniteIsNoNumber) {
  std::vector<float> in = Irregular(6 * kInputs);
  constexpr float kEndless = std::numeric_limits<float>::infinity();
  in[5] = std::numeric_limits<float>::quiet_NaN();
  in[kInputs] = kEndless;
  in[3 * kInputs - 1] = -kEndless;
  // Values that are finite, but not their range.
  in[4 * kInputs] = std::numeric_limits<float>::max();
  in[4 * kInputs + 1] = std::numeric_limits<float>::lowest();
  ExpectSameBits(Irregular(kInputs * kOutputs), in);
}

}  // namespace
}  // namespace protium::onnx
