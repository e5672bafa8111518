// SPDX-License-Identifier: Apache-2.0
#include "base/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace protium {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ExactSum SumUp(const std::vector<double>& terms) {
  ExactSum sum;
  for (const double term : terms) sum.Add(term);
  return sum;
}

// Finite doubles of any exponent, including subnormals.
std::vector<double> AnyDoubles(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> out;
  while (out.size() < count) {
    const auto x = std::bit_cast<double>(random());
    if (std::isfinite(x) && std::abs(x) < 1e300) out.push_back(x);
  }
  return out;
}

TEST(ExactSum, OfNothingIsZero) {
  EXPECT_EQ(ExactSum().Rounded(), 0);
  EXPECT_TRUE(ExactSum().IsZero());
  EXPECT_EQ(Dump(ExactSum().ToJson()), "{}");
}

TEST(ExactSum, OfOneDoubleIsThatDouble) {
  for (const double x : AnyDoubles(2000, 1)) EXPECT_EQ(SumUp({x}).Rounded(), x);
  for (const double x : {5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308}) {
    EXPECT_EQ(SumUp({x}).Rounded(), x);
  }
}

TEST(ExactSum, SurvivesCatastrophicCancellation) {
  EXPECT_EQ(SumUp({1e308, 1, -1e308}).Rounded(), 1);
  EXPECT_EQ(SumUp({1e308, 5e-324, -1e308}).Rounded(), 5e-324);
  EXPECT_EQ(SumUp({1e16, 1, 1, -1e16}).Rounded(), 2);
  EXPECT_EQ(
      SumUp({1.7976931348623157e308, 1.7976931348623157e308, -1.7976931348623157e308}).Rounded(),
      1.7976931348623157e308);
  EXPECT_TRUE(SumUp({0.1, 0.2, -0.1, -0.2}).IsZero());
}

TEST(ExactSum, RoundsToNearestWithTiesToEven) {
  const double half = std::ldexp(1, -53);
  EXPECT_EQ(SumUp({1, half}).Rounded(), 1);
  EXPECT_EQ(SumUp({1 + 2 * half, half}).Rounded(), 1 + 4 * half);
  EXPECT_EQ(SumUp({1, half, 5e-324}).Rounded(), 1 + 2 * half);
  EXPECT_EQ(SumUp({-1, -half, -5e-324}).Rounded(), -1 - 2 * half);
  EXPECT_EQ(SumUp({1.7976931348623157e308, 1.7976931348623157e308}).Rounded(), kInfinity);
  ExactSum small;
  small.AddProduct(5e-324, 0.5);  // Half of the smallest double: a tie, which goes to zero.
  EXPECT_EQ(small.Rounded(), 0);
  EXPECT_FALSE(small.IsZero());
  small.AddProduct(5e-324, 5e-324);
  EXPECT_EQ(small.Rounded(), 5e-324);
}

TEST(ExactSum, DoesNotDependOnOrderOrGrouping) {
  std::vector<double> terms = AnyDoubles(3000, 2);
  const Json expected = SumUp(terms).ToJson();
  std::mt19937_64 random(3);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(terms.begin(), terms.end(), random);
    const size_t cut = random() % terms.size();
    ExactSum sum = SumUp({terms.begin(), terms.begin() + cut});
    sum.Merge(SumUp({terms.begin() + cut, terms.end()}));
    EXPECT_EQ(sum.ToJson(), expected);
  }
}

TEST(ExactSum, AgreesWithIntegers) {
  std::mt19937_64 random(4);
  __int128 expected = 0;
  ExactSum sum;
  for (int i = 0; i < 10000; ++i) {
    const int64_t a = int64_t(random()) >> 12, b = int64_t(random()) >> 30;
    expected += __int128(a) * b;
    sum.AddProduct(double(a), double(b));
  }
  EXPECT_EQ(sum.Rounded(), double(expected));
  sum.AddProduct(-double(expected >> 64), std::ldexp(1, 64));
  sum.AddProduct(-double(uint64_t(expected) >> 32), std::ldexp(1, 32));
  sum.Add(-double(uint64_t(expected) & 0xffffffff));
  EXPECT_TRUE(sum.IsZero());
}

TEST(ExactSum, TakesProductsOfEveryRange) {
  for (const double x : {5e-324, 1e-200, 1e200, 1.7976931348623157e308}) {
    ExactSum sum;
    sum.AddProduct(x, x);
    EXPECT_FALSE(sum.IsZero());
    sum.AddProduct(-x, x);
    EXPECT_TRUE(sum.IsZero());
  }
}

TEST(ExactSum, ScalesExactly) {
  const std::vector<double> terms = AnyDoubles(200, 5);
  ExactSum scaled, direct;
  scaled.AddScaled(SumUp(terms), -0.1);
  for (const double term : terms) direct.AddProduct(term, -0.1);
  EXPECT_EQ(scaled.ToJson(), direct.ToJson());
}

TEST(ExactSum, AScaledSumBeyondItsDigitsIsInfinite) {
  constexpr double kLargest = 1.7976931348623157e308;
  for (const double sign : {1.0, -1.0}) {
    ExactSum products, scaled;
    products.AddProduct(kLargest, kLargest);
    scaled.AddScaled(products, sign * kLargest);
    EXPECT_EQ(scaled.Rounded(), sign * kInfinity);
  }
}

TEST(ExactSum, TreatsNanAndInfinityAsAdditionDoes) {
  EXPECT_EQ(SumUp({kInfinity, 1}).Rounded(), kInfinity);
  EXPECT_EQ(SumUp({-kInfinity, 1e308}).Rounded(), -kInfinity);
  EXPECT_TRUE(std::isnan(SumUp({kInfinity, -kInfinity}).Rounded()));
  EXPECT_TRUE(std::isnan(SumUp({1, std::nan("")}).Rounded()));
  ExactSum product;
  product.AddProduct(kInfinity, 0);
  EXPECT_TRUE(std::isnan(product.Rounded()));
}

TEST(ExactSum, TravelsAsJson) {
  for (const auto& terms : std::vector<std::vector<double>>{
           {}, {1.5}, {-1e308, 5e-324}, {kInfinity}, {-kInfinity, std::nan("")}, {-0.75, 1e200}}) {
    const ExactSum sum = SumUp(terms);
    const auto back = ExactSum::FromJson(sum.ToJson());
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back->ToJson(), sum.ToJson());
  }
}

TEST(ExactSum, RefusesDamagedJson) {
  for (const char* text :
       {"7", R"({"digits": 7, "scale": 0})", R"({"digits": "12"})", R"({"digits": "", "scale": 0})",
        R"({"digits": "xy", "scale": 0})", R"({"digits": "1", "scale": 1})", R"({"nan": -1})",
        R"({"digits": "1", "scale": 99999})", R"({"digits": "1", "scale": -99999})",
        R"({"digits": "111111111", "scale": 2272})"}) {
    EXPECT_FALSE(ExactSum::FromJson(*ParseJson(text)).ok()) << text;
  }
}

}  // namespace
}  // namespace protium
