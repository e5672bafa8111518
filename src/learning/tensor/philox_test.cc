// SPDX-License-Identifier: Apache-2.0
#include "tensor/philox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace protium {
namespace {

// From its authors' test vectors (Random123, kat_vectors).
TEST(Philox, GivesItsPublishedAnswers) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(Philox({0, 0, 0, 0}, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t all = 0xffffffff;
  EXPECT_EQ(Philox({all, all, all, all}, ~uint64_t{0}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Which word of which counter an element is, as documented in philox.h.
TEST(Philox, DrawsTheWordsOfCountersInTheirOrder) {
  const uint64_t key = 0x123456789abcdef0;
  std::vector<float> drawn(300);
  DrawUniform(key, 0, 1, drawn);
  for (size_t i = 0; i < drawn.size(); ++i) {
    const auto counter = uint32_t(i / 64 * 16 + i % 16);
    const uint32_t word = Philox({counter, 0, 0, 0}, key)[i % 64 / 16];
    EXPECT_EQ(drawn[i], float(word >> 8) * 0x1p-24f) << i;
  }
}

// Of every 128 values, the first 64 use the low halves. Ones that remain become 4/3.
TEST(Philox, DropsByHalvesOfWordsInTheirOrder) {
  const uint64_t key = 0x123456789abcdef0;
  std::vector<float> values(300, 1.0f);
  ReluDropout(key, 0.25, values);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t draw = i / 128 * 64 + i % 64;
    const auto counter = uint32_t(draw / 64 * 16 + draw % 16);
    const uint32_t word = Philox({counter, 0, 0, 0}, key)[draw % 64 / 16];
    const uint32_t half = i % 128 < 64 ? word & 0xffff : word >> 16;
    EXPECT_EQ(values[i], half < 0x4000 ? 0 : float(1 / 0.75)) << i;
  }
}

// The initial weights of models depend on these numbers.
TEST(Philox, GivesTheSameNumbersAsEver) {
  EXPECT_EQ(DrawKey(DrawTag::kInitialise, {77, 0}), 0x17846fbfa5026a78);
  std::vector<float> even(3), normal(3);
  DrawUniform(5, -1, 1, even);
  DrawNormal(5, 1, normal);
  EXPECT_THAT(even, testing::ElementsAre(0x1.105dap-1f, -0x1.38e428p-2f, 0x1.dad2b8p-1f));
  EXPECT_THAT(normal, testing::ElementsAre(0x1.822bfcp+0f, -0x1.b69a9p-1f, -0x1.dc0d18p-2f));
}

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
