// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nets/dense.h"
#include "nets/int8_panels.h"

namespace protium {
namespace {

// Irregular numbers.
std::vector<float> Irregular(int64_t count, int64_t from = 0) {
  std::vector<float> values;
  for (int64_t i = from; i < from + count; ++i) {
    values.push_back(float((i * 7919 % 1009) - 504) / 257);
  }
  return values;
}

constexpr int64_t kInputs = 37, kOutputs = 21;  // No whole groups, no whole panels.

Dense Rounded(const std::vector<float>& weight, int64_t outputs = kOutputs) {
  return Dense(weight.data(), outputs, int64_t(weight.size()) / outputs).InInt8();
}

std::vector<float> Sums(const Dense& dense, const std::vector<float>& in) {
  const int64_t rows = int64_t(in.size()) / dense.inputs();
  std::vector<float> sums(size_t(rows * dense.width()), 0);
  Int8Scratch scratch;
  dense.Add(in.data(), dense.inputs(), rows, sums.data(), scratch);
  return sums;
}

class Int8Loops : public testing::TestWithParam<int64_t> {};

TEST_P(Int8Loops, GiveTheSameSumsOnEveryProcessor) {
  const int64_t rows = GetParam(), groups = 9, panels = 3;
  std::vector<uint8_t> left(size_t(rows * groups * kInt8Group));
  for (size_t i = 0; i < left.size(); ++i) left[i] = uint8_t(i * 7919 % 128);
  std::vector<int8_t> right(size_t(panels * groups * kInt8Group * kInt8Panel));
  for (size_t i = 0; i < right.size(); ++i) right[i] = int8_t(int(i * 7907 % 255) - 127);
  // The largest sums of pairs.
  std::fill_n(left.begin(), 4, uint8_t{127});
  std::fill_n(right.begin(), 4, int8_t{-127});
  const auto sums = [&](Int8Loop loop) {
    std::vector<int32_t> out(size_t(rows * panels * kInt8Panel));
    loop({.left = left.data(),
          .left_row = groups * kInt8Group,
          .right = right.data(),
          .panel_step = groups * kInt8Group * kInt8Panel,
          .panels = panels,
          .groups = groups,
          .rows = rows,
          .sums = out.data(),
          .sums_row = panels * kInt8Panel});
    return out;
  };
  const std::vector<int32_t> plain = sums(Int8Plain);
  for (const Int8Loop loop : Int8LoopsOfProcessor()) EXPECT_EQ(sums(loop), plain);
  int32_t first = 0;
  for (int64_t k = 0; k < groups * kInt8Group; ++k) {
    const int64_t at = k / kInt8Group * kInt8Group * kInt8Panel + k % kInt8Group;
    first += int32_t(left[size_t(k)]) * int32_t(right[size_t(at)]);
  }
  EXPECT_EQ(plain.front(), first);
}

INSTANTIATE_TEST_SUITE_P(OfRows, Int8Loops, testing::Values(1, 5, 6, 7, 12, 13, 25));

TEST(Int8, IsCloseToFloat32) {
  const std::vector<float> weight = Irregular(kOutputs * kInputs), in = Irregular(50 * kInputs, 9);
  const std::vector<float> exact = Sums(Dense(weight.data(), kOutputs, kInputs), in);
  const std::vector<float> rounded = Sums(Rounded(weight), in);
  EXPECT_NE(rounded, exact);
  double apart = 0, all = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    apart += std::pow(double(rounded[i]) - double(exact[i]), 2);
    all += std::pow(double(exact[i]), 2);
  }
  EXPECT_LT(std::sqrt(apart / all), 0.015);
}

// With the whole range of a byte there is nothing to round.
TEST(Int8, IsExactForWholeNumbersUpTo127) {
  std::vector<float> weight(kOutputs * kInputs), in(kInputs);
  for (size_t i = 0; i < weight.size(); ++i) weight[i] = float(i * 7919 % 255) - 127;
  for (int64_t j = 0; j < kOutputs; ++j) weight[size_t(j * kInputs)] = 127;
  for (size_t k = 0; k < in.size(); ++k) in[k] = float(k * 31 % 128);
  in[3] = 127;
  EXPECT_EQ(Sums(Rounded(weight), in), Sums(Dense(weight.data(), kOutputs, kInputs), in));
}

TEST(Int8, GivesARowTheSameBitsByItself) {
  const Dense dense = Rounded(Irregular(kOutputs * kInputs));
  std::vector<float> in = Irregular(20 * kInputs, 3);
  in[5] = 1e6f;  // Another scale for the first row alone.
  const std::vector<float> all = Sums(dense, in);
  for (int64_t i = 0; i < 20; ++i) {
    const auto begin = in.begin() + i * kInputs;
    const std::vector<float> alone = Sums(dense, {begin, begin + kInputs});
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), all.begin() + i * dense.width())) << i;
  }
}

TEST(Int8, LeavesAColumnOfZerosAndARowOfZerosAtZero) {
  std::vector<float> weight = Irregular(kOutputs * kInputs);
  std::fill_n(weight.begin() + 2 * kInputs, kInputs, 0.0f);
  std::vector<float> in = Irregular(2 * kInputs);
  std::fill_n(in.begin() + kInputs, kInputs, 0.0f);
  const Dense dense = Rounded(weight);
  const std::vector<float> sums = Sums(dense, in);
  EXPECT_EQ(sums[2], 0);
  EXPECT_NE(sums[3], 0);
  for (int64_t j = 0; j < dense.width(); ++j) EXPECT_EQ(sums[size_t(dense.width() + j)], 0) << j;
}

TEST(Int8, OfARowThatIsNotFiniteIsNoNumber) {
  const Dense dense = Rounded(Irregular(kOutputs * kInputs));
  for (const float odd :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
        std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    for (const int64_t at : {int64_t{0}, kInputs - 1}) {
      std::vector<float> in = Irregular(2 * kInputs);
      in[size_t(at)] = odd;
      const std::vector<float> sums = Sums(dense, in);
      EXPECT_TRUE(std::isnan(sums[0])) << odd;
      EXPECT_TRUE(std::isfinite(sums[size_t(dense.width())])) << odd;
    }
  }
}

TEST(Int8, LeavesSmallLayersAsTheyAre) {
  const std::vector<float> weight = Irregular(15 * 40), in = Irregular(3 * 40, 8);
  EXPECT_EQ(Sums(Rounded(weight, 15), in), Sums(Dense(weight.data(), 15, 40), in));
}

}  // namespace
}  // namespace protium
