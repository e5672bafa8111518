// SPDX-License-Identifier: Apache-2.0
#include "nets/weight_precision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace protium {
namespace {

using testing::ElementsAre;

TEST(Int8Slices, HaveAScaleEach) {
  const std::vector<float> numbers = {1.01F, -2, 0.5, 0, 0, 0, 254, -128, 2};
  const Int8Slices slices = SlicesOf(numbers, 3);
  EXPECT_THAT(slices.values, ElementsAre(64, -127, 32, 0, 0, 0, 127, -64, 1));
  EXPECT_THAT(slices.scales, ElementsAre(2.0F / 127, 0, 2));
}

TEST(Int8Slices, OfWhatIsNotFiniteAreNotNumbers) {
  const float endless = std::numeric_limits<float>::infinity();
  std::vector<float> numbers = {1, endless, 3, 4};
  RoundNumbers(numbers, {2, 2}, WeightPrecision::kInt8);
  EXPECT_TRUE(std::isnan(numbers[0]) && std::isnan(numbers[1]));
  EXPECT_NEAR(numbers[2], 3, 4.0 / 254);
  EXPECT_EQ(numbers[3], 4);
}

TEST(RoundNumbers, MovesByHalfALevelAtMostAndNotAgain) {
  std::mt19937 random(3);
  std::normal_distribution<float> any;
  std::vector<float> numbers(8 * 9 * 5);
  for (float& each : numbers) each = any(random);
  std::vector<float> rounded = numbers;
  RoundNumbers(rounded, {8, 9, 5}, WeightPrecision::kInt8);
  EXPECT_NE(rounded, numbers);
  const std::vector<float> scales = SlicesOf(numbers, 8).scales;
  for (size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_NEAR(rounded[i], numbers[i], 0.501 * double(scales[i / 45])) << i;
  }
  std::vector<float> again = rounded;
  RoundNumbers(again, {8, 9, 5}, WeightPrecision::kInt8);
  for (size_t i = 0; i < again.size(); ++i) EXPECT_NEAR(again[i], rounded[i], 1e-6) << i;
}

TEST(RoundNumbers, LeavesVectorsAndFloat32Alone) {
  std::vector<float> numbers = {0.1F, 0.7F};
  RoundNumbers(numbers, {2}, WeightPrecision::kInt8);
  RoundNumbers(numbers, {2}, WeightPrecision::kBfloat16);
  RoundNumbers(numbers, {1, 2}, WeightPrecision::kFloat32);
  EXPECT_THAT(numbers, ElementsAre(0.1F, 0.7F));
  RoundNumbers(numbers, {1, 2}, WeightPrecision::kBfloat16);
  EXPECT_THAT(numbers, ElementsAre(0.10009765625F, 0.69921875F));
}

}  // namespace
}  // namespace protium
