// SPDX-License-Identifier: Apache-2.0
#include "tensor/philox.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace protium {
namespace {

TEST(Philox, DrawsEvenlyAndTheSameForEveryLength) {
  std::vector<float> all(100'000);
  DrawUniform(7, -1, 3, all);
  double sum = 0;
  for (const float x : all) {
    ASSERT_GE(x, -1);
    ASSERT_LT(x, 3);
    sum += x;
  }
  EXPECT_NEAR(sum / double(all.size()), 1, 0.02);
  std::vector<float> few(77);
  DrawUniform(7, -1, 3, few);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), all.begin()));
}

TEST(Philox, DrawsNormally) {
  std::vector<float> all(100'000);
  DrawNormal(7, 2, all);
  double sum = 0, squares = 0;
  for (const double x : all) {
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / double(all.size()), 0, 0.03);
  EXPECT_NEAR(std::sqrt(squares / double(all.size())), 2, 0.03);
}

TEST(Philox, DropsTheShareThatIsAsked) {
  std::vector<float> values(100'003, 1.0f);
  const float factor = ReluDropout(3, 0.2, values);
  EXPECT_EQ(factor, 1.25f);
  int64_t dropped = 0;
  for (const float x : values) {
    ASSERT_TRUE(x == 0 || x == factor);
    dropped += x == 0 ? 1 : 0;
  }
  EXPECT_NEAR(double(dropped) / 100'003, 0.2, 0.005);
  std::vector<float> other(100'003, 1.0f);
  ReluDropout(4, 0.2, other);
  EXPECT_NE(values, other);
}

TEST(Philox, KeepsNaNAndCutsNegatives) {
  std::vector<float> values = {-1, 2, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_EQ(ReluDropout(3, 0, values), 1);
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[1], 2);
  EXPECT_TRUE(std::isnan(values[2]));
}

TEST(Philox, KeysDependOnEveryWordAndItsPlace) {
  const uint64_t key = DrawKey(DrawTag::kDropout, {1, 2});
  EXPECT_NE(key, DrawKey(DrawTag::kDropout, {2, 1}));
  EXPECT_NE(key, DrawKey(DrawTag::kInitialise, {1, 2}));
  EXPECT_NE(key, DrawKey(DrawTag::kDropout, {1, 2, 0}));
}

}  // namespace
}  // namespace protium
