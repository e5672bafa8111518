// SPDX-License-Identifier: Apache-2.0
#include "deep/torch_products.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "deep/torch_numerics.h"
#include "deep/torch_wall.h"

namespace protium {
namespace {

using testing::HasSubstr;

// [rows, columns] in other memory layouts: transposed, or every second row and column of a larger
// matrix.
std::vector<torch::Tensor> Layouts(int64_t rows, int64_t columns) {
  return {torch::randn({rows, columns}), torch::randn({columns, rows}).t(),
          torch::randn({2 * rows, 2 * columns})
              .slice(0, 0, torch::nullopt, 2)
              .slice(1, 0, torch::nullopt, 2),
          torch::randn({1, columns}).expand({rows, columns})};
}

struct Shape {
  int64_t rows, inner, columns;
};

const std::vector<Shape> kShapes = {{1, 1, 1}, {3, 5, 2}, {64, 67, 128}, {17, 300, 33}, {7, 2, 16}};

class TorchProducts : public testing::Test {
 protected:
  void SetUp() override {
    torch::manual_seed(5);
    ASSERT_TRUE(PrepareTorch(1).ok());
  }
};

TEST_F(TorchProducts, AreRightInEveryLayout) {
  for (const Shape& shape : kShapes) {
    for (const torch::Tensor& left : Layouts(shape.rows, shape.inner)) {
      for (const torch::Tensor& right : Layouts(shape.inner, shape.columns)) {
        const torch::Tensor bias = torch::randn({shape.columns});
        const torch::Tensor exact = torch::mm(left.to(torch::kDouble), right.to(torch::kDouble));
        EXPECT_TRUE(torch::allclose(torch::mm(left, right).to(torch::kDouble), exact, 1e-4, 1e-4));
        EXPECT_TRUE(torch::allclose(torch::addmm(bias, left, right).to(torch::kDouble),
                                    exact + bias.to(torch::kDouble), 1e-4, 1e-4));
      }
    }
  }
}

// Only our own products promise this: a library chooses its loops by the number of rows.
TEST_F(TorchProducts, GiveARowTheSameBitsAmongAnyOthers) {
  const torch::Tensor left = torch::randn({64, 67}), right = torch::randn({67, 128});
  const torch::Tensor all = torch::mm(left, right);
  for (int64_t row = 0; row < 64; ++row) {
    EXPECT_TRUE(torch::equal(torch::mm(left.slice(0, row, row + 1), right)[0], all[row])) << row;
  }
}

TEST_F(TorchProducts, AreWhatModulesAndTheirGradientsUse) {
  torch::nn::Linear layer(67, 128);
  const torch::Tensor rows = torch::randn({64, 67}, torch::requires_grad());
  const torch::Tensor out = layer(rows), factor = torch::randn({64, 128});
  EXPECT_TRUE(torch::equal(out, AddMatrixProduct(layer->bias, rows, layer->weight.t(), 1, 1)));
  out.backward(factor);
  EXPECT_TRUE(torch::equal(rows.grad(), MultiplyMatrices(factor, layer->weight)));
}

TEST_F(TorchProducts, LeaveTheRestToLibTorch) {
  const torch::Tensor left = torch::randn({4, 3}), right = torch::randn({3, 2});
  const auto wide = torch::kDouble;
  const torch::Tensor exact = torch::mm(left.to(wide), right.to(wide));
  EXPECT_EQ(exact.scalar_type(), wide);
  const torch::Tensor scaled = torch::addmm(torch::ones({2}), left, right, 2, 0.5);
  EXPECT_TRUE(torch::allclose(scaled.to(wide), 2 + 0.5 * exact, 1e-5, 1e-5));
  EXPECT_EQ(torch::mm(torch::ones({4, 0}), torch::ones({0, 2})).sum().item<float>(), 0);
  EXPECT_EQ(torch::mm(torch::ones({0, 3}), right).size(0), 0);
}

TEST_F(TorchProducts, RefuseWhatDoesNotFit) {
  const auto message_of = [](auto&& multiply) {
    return GuardTorch("multiplying", multiply).status().ToString();
  };
  const torch::Tensor left = torch::ones({4, 3}), right = torch::ones({2, 5});
  EXPECT_THAT(message_of([&] { return torch::mm(left, right); }), HasSubstr("4x3 and 2x5"));
  EXPECT_THAT(message_of([&] {
                return torch::addmm(torch::ones({6}), left, torch::ones({3, 5}));
              }),
              HasSubstr("6"));
}

}  // namespace
}  // namespace protium
