// SPDX-License-Identifier: Apache-2.0
#include "java/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace protium {
namespace {

TEST(RoundDecimal, RoundsWhatIsWrittenAndNotWhatIsStored) {
  EXPECT_EQ(RoundDecimal(0.285, 2, false), 0.29);
  EXPECT_EQ(RoundDecimal(2.5, 0, false), 3);
  EXPECT_EQ(RoundDecimal(-2.5, 0, false), -3);
  EXPECT_EQ(RoundDecimal(2.5, 0, true), 2);
  EXPECT_EQ(RoundDecimal(3.5, 0, true), 4);
  EXPECT_EQ(RoundDecimal(2.51, 0, true), 3);
  EXPECT_EQ(RoundDecimal(0.5, 0, true), 0);
  EXPECT_EQ(RoundDecimal(0.5, 0, false), 1);
  EXPECT_EQ(RoundDecimal(9.996, 2, false), 10);
  EXPECT_EQ(RoundDecimal(1250, -2, false), 1300);
  EXPECT_EQ(RoundDecimal(1250, -2, true), 1200);
  EXPECT_EQ(RoundDecimal(49, -2, false), 0);
  EXPECT_EQ(RoundDecimal(50, -2, false), 100);
  EXPECT_EQ(RoundDecimal(1e300, 2, false), 1e300);
  EXPECT_EQ(RoundDecimal(1e-300, 2, false), 0);
  EXPECT_EQ(RoundDecimal(1.7976931348623157e308, -308, false),
            std::numeric_limits<double>::infinity());
}

TEST(RoundDecimal, GivesNoNegativeZero) {
  EXPECT_FALSE(std::signbit(RoundDecimal(-0.4, 0, false)));
  EXPECT_FALSE(std::signbit(RoundDecimal(-0.0, 0, false)));
  EXPECT_TRUE(std::isnan(RoundDecimal(std::nan(""), 0, false)));
}

TEST(JavaText, WritesNumbersAsJavaDoes) {
  EXPECT_EQ(JavaText(1.0), "1.0");
  EXPECT_EQ(JavaText(-0.0), "-0.0");
  EXPECT_EQ(JavaText(0.001), "0.001");
  EXPECT_EQ(JavaText(0.0001), "1.0E-4");
  EXPECT_EQ(JavaText(1234567.0), "1234567.0");
  EXPECT_EQ(JavaText(12345678.5), "1.23456785E7");
  EXPECT_EQ(JavaText(1e7), "1.0E7");
  EXPECT_EQ(JavaText(9999999.0), "9999999.0");
  EXPECT_EQ(JavaText(120.0), "120.0");
  EXPECT_EQ(JavaText(1e300), "1.0E300");
  EXPECT_EQ(JavaText(0.1f), "0.1");
  EXPECT_EQ(JavaText(std::nan("")), "NaN");
  EXPECT_EQ(JavaText(-std::numeric_limits<double>::infinity()), "-Infinity");
}

TEST(RoundWhole, RoundsBeforeThePoint) {
  int64_t rounded = 0;
  EXPECT_TRUE(RoundWhole(125, -1, false, rounded) && rounded == 130);
  EXPECT_TRUE(RoundWhole(125, -1, true, rounded) && rounded == 120);
  EXPECT_TRUE(RoundWhole(-125, -1, false, rounded) && rounded == -130);
  EXPECT_TRUE(RoundWhole(125, 3, false, rounded) && rounded == 125);
  EXPECT_TRUE(RoundWhole(INT64_MIN, 0, false, rounded) && rounded == INT64_MIN);
  EXPECT_TRUE(RoundWhole(INT64_MAX, -40, false, rounded) && rounded == 0);
  EXPECT_FALSE(RoundWhole(INT64_MAX, -1, false, rounded));
}

}  // namespace
}  // namespace protium
