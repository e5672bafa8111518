// SPDX-License-Identifier: Apache-2.0
#include "nets/forward.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "base/fault.h"
#include "nets/dense.h"
#include "nets/product.h"

namespace protium {
namespace {

// Irregular numbers.
float Some(int64_t i) { return float((i * 7919 % 1009) - 504) / 257; }

std::vector<float> SomeOf(int64_t count, int64_t from = 0) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(Some(from + i));
  return values;
}

struct Loops : testing::TestWithParam<int64_t> {
  static constexpr int64_t kInputs = 37, kPanels = 7;
  std::vector<float> panels = SomeOf(kInputs * kPanels * kPanelWidth);

  std::vector<float> Sums(void (*loop)(const ProductCall&), int64_t rows) const {
    const std::vector<float> in = SomeOf(rows * kInputs, 5);
    std::vector<float> sums = SomeOf(rows * kPanels * kPanelWidth, 11);
    loop({.left = in.data(),
          .left_row = kInputs,
          .left_step = 1,
          .right = panels.data(),
          .right_step = kPanelWidth,
          .panel_step = kInputs * kPanelWidth,
          .panels = kPanels,
          .inner = kInputs,
          .rows = rows,
          .sums = sums.data(),
          .sums_row = kPanels * kPanelWidth});
    return sums;
  }
};

TEST_P(Loops, GiveTheSameBitsOnEveryProcessor) {
  const std::vector<float> plain = Sums(ProductPlain, GetParam());
  for (const ProductLoop loop : LoopsOfProcessor()) EXPECT_EQ(Sums(loop, GetParam()), plain);
}

TEST_P(Loops, GiveARowTheSameBitsByItself) {
  const std::vector<float> all = Sums(ProductPlain, GetParam());
  const std::vector<float> first = Sums(ProductPlain, 1);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin()));
}

INSTANTIATE_TEST_SUITE_P(OfRows, Loops, testing::Values(1, 2, 5, 6, 7, 13));

// Each element as product.h defines it, one fused multiply-add after another.
std::vector<float> ProductByHand(const MatrixView& left, const MatrixView& right,
                                 std::vector<float> sums) {
  for (int64_t i = 0; i < left.rows; ++i) {
    for (int64_t j = 0; j < right.columns; ++j) {
      float& sum = sums[size_t(i * right.columns + j)];
      for (int64_t k = 0; k < left.columns; ++k) {
        sum = std::fma(left.data[i * left.row_step + k * left.column_step],
                       right.data[k * right.row_step + j * right.column_step], sum);
      }
    }
  }
  return sums;
}

// Rows, inner dimension, columns: near the sizes of tiles, panels and blocks; with threads, large
// enough to be shared.
struct Shape {
  int64_t rows, inner, columns;
};

TEST(Product, IsTheChainThatItPromisesForAnyShapeAndAnyThreads) {
  for (const Shape s : {Shape{1, 1, 1}, Shape{7, 37, 16}, Shape{13, 300, 33}, Shape{2, 513, 64},
                        Shape{5, 256, 80}, Shape{600, 300, 100}}) {
    const std::vector<float> a = SomeOf(s.rows * s.inner), b = SomeOf(s.inner * s.columns, 3);
    const std::vector<float> start = SomeOf(s.rows * s.columns, 9);
    for (const bool turned : {false, true}) {
      // The same memory, transposed: both sides in the backward pass of a layer are transposes.
      const MatrixView left = turned ? MatrixView::Of(a.data(), s.inner, s.rows).Transposed()
                                     : MatrixView::Of(a.data(), s.rows, s.inner);
      const MatrixView right = turned ? MatrixView::Of(b.data(), s.columns, s.inner).Transposed()
                                      : MatrixView::Of(b.data(), s.inner, s.columns);
      for (const int32_t threads : {1, 3}) {
        SCOPED_TRACE(fmt::format("{}x{}x{} {} {}", s.rows, s.inner, s.columns, turned, threads));
        Product product(threads);
        std::vector<float> sums = start;
        product.Add(left, right, sums.data(), s.columns);
        EXPECT_EQ(sums, ProductByHand(left, right, start));
        product.Set(left, right, sums.data(), s.columns);
        EXPECT_EQ(sums, ProductByHand(left, right, std::vector<float>(start.size())));
      }
    }
  }
}

// The memory after the last column is not overwritten.
TEST(Product, WritesTheColumnsOfTheProductAlone) {
  const std::vector<float> a = SomeOf(3 * 2), b = SomeOf(2 * 5);
  std::vector<float> wide(3 * 8, 7);
  Product().Set(MatrixView::Of(a.data(), 3, 2), MatrixView::Of(b.data(), 2, 5), wide.data(), 8);
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 5; j < 8; ++j) EXPECT_EQ(wide[i * 8 + j], 7);
  }
}

TEST(Dense, TakesTheInputsThatAreNamed) {
  const std::vector<float> weight = {1, 2, 3, 4, 5, 6};  // [2, 3]
  const Dense dense(weight.data(), 2, 3, std::vector<InputRange>{{2, 3}, {0, 1}});
  const float in[] = {10, 100};
  std::vector<float> sums(size_t(dense.width()), 0);
  dense.Add(in, 2, 1, sums.data());
  EXPECT_EQ(sums[0], 3 * 10 + 1 * 100);
  EXPECT_EQ(sums[1], 6 * 10 + 4 * 100);
}

// Weights by name, for a net to find.
struct Weights {
  std::map<std::string, std::pair<std::vector<int64_t>, std::vector<float>>> all;
  void Add(const std::string& name, std::vector<int64_t> shape) {
    int64_t count = 1;
    for (const int64_t each : shape) count *= each;
    all[name] = {shape, SomeOf(count, int64_t(all.size()))};
  }
  FindWeight Find() const {
    return [this](const std::string& name) -> std::optional<NetWeight> {
      const auto found = all.find(name);
      if (found == all.end()) return std::nullopt;
      return NetWeight{found->second.first, found->second.second.data()};
    };
  }
};

std::string WhyNot(const Choice& net, const NetShape& shape, const Weights& weights) {
  const auto layers = DescribeNet(net, shape);
  if (!layers.ok()) return FaultOf(layers.status()).what;
  const auto made = MakeForward(*layers, weights.Find());
  return made.ok() ? "" : FaultOf(made.status()).what;
}

TEST(Forward, RefusesWeightsOfAnotherShape) {
  Weights weights;
  const NetShape shape{.numeric = 2};
  const Choice net{"tabular_mlp", {{"hidden", Json::array()}}};
  EXPECT_EQ(WhyNot(net, shape, weights), "there are no weights output.weight");
  weights.Add("output.weight", {1, 3});
  EXPECT_EQ(WhyNot(net, shape, weights),
            "the weights output.weight are [1, 3], and the net's are [1, 2]");
}

TEST(Forward, RefusesOtherNetsByName) {
  EXPECT_EQ(WhyNot({"cnn", {}}, NetShape(), {}),
            "the net cnn is computed by LibTorch, in workers alone");
}

// Expected values computed by hand: a column of two categories, one of 200, a number.
TEST(Forward, AddsUpEmbeddingsAndNumbers) {
  Weights weights;
  weights.Add("embedding.0.weight", {2, 1});
  weights.Add("embedding.1.weight", {200, 2});
  weights.Add("output.weight", {1, 4});
  weights.Add("output.bias", {1});
  const RowSchema rows = MakeRowSchema({.numeric = {"x"}, .categories = {"a", "b"}});
  const NetShape shape{.categorical = {"a", "b"}, .cardinalities = {2, 200}, .numeric = 1};
  weights.all["embedding.1.weight"].first = {200, 50};
  weights.all["embedding.1.weight"].second = SomeOf(200 * 50);
  weights.all["output.weight"] = {{1, 52}, SomeOf(52)};
  const Layers layers = *DescribeNet({"tabular_mlp", {{"hidden", Json::array()}}}, shape);
  const auto made = MakeForward(layers, weights.Find());
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  std::vector<std::byte> row(size_t(rows.width()));
  const float x = 1.5f;
  const int32_t categories[] = {1, 150};
  std::memcpy(row.data() + rows.Find(kNumericField)->offset, &x, sizeof x);
  std::memcpy(row.data() + rows.Find(kCategoriesField)->offset, categories, sizeof categories);
  ForwardScratch scratch;
  float out = 0;
  (*made)->Predict({rows, row.data(), 1}, scratch, &out);
  const auto& w = weights.all["output.weight"].second;
  double sum = double(weights.all["output.bias"].second[0]) +
               double(weights.all["embedding.0.weight"].second[1]) * double(w[0]) +
               1.5 * double(w[51]);
  for (size_t k = 0; k < 50; ++k) {
    sum += double(weights.all["embedding.1.weight"].second[150 * 50 + k]) * double(w[1 + k]);
  }
  EXPECT_NEAR(double(out), sum, 1e-4);
}

}  // namespace
}  // namespace protium
