// SPDX-License-Identifier: Apache-2.0
#include "java/text_values.h"

#include <gtest/gtest.h>

#include <cmath>

namespace protium {
namespace {

TEST(ReadDay, TakesPartsOfDatesAndNothingElse) {
  EXPECT_EQ(ReadDay("1970-01-02")->days, 1);
  EXPECT_EQ(ReadDay("1970")->days, 0);
  EXPECT_EQ(ReadDay("1970-2")->days, 31);
  EXPECT_EQ(ReadDay(" 1970-01-02Tx\t")->days, 1);
  EXPECT_EQ(ReadDay("-0001-01-01")->days, -719893);
  for (const char* const none : {"", "13-01-01", "1970-", "1970-13-01", "1970-02-29", "19700101",
                                 "1970-01-01x", "1970T", "\u00a01970"}) {
    EXPECT_FALSE(ReadDay(none)) << none;
  }
}

TEST(ReadClockText, TakesTheClockAndTheZoneApart) {
  std::string why;
  EXPECT_EQ(ReadClockText("1970-01-01 00:00:01.5", why)->micros, 1500000);
  EXPECT_EQ(ReadClockText("1970-01-01T02:00:00+02:00", why)->micros, int64_t{7200} * 1000000);
  EXPECT_EQ(ReadClockText("1970-01-01T02:00:00+02:00", why)->zone, "+02:00");
  EXPECT_EQ(ReadClockText("1970-01-01 00:00:00 Europe/Berlin", why)->zone, "Europe/Berlin");
  EXPECT_FALSE(ReadClockText("1970-01-01 24:00:00", why));
  EXPECT_FALSE(ReadClockText("1970-01-01 02:00Z", why));
  EXPECT_EQ(why, "");
  EXPECT_FALSE(ReadClockText("12:30", why));
  EXPECT_NE(why, "");
}

TEST(ReadOffset, TakesWhatJavaTakes) {
  EXPECT_EQ(ReadOffset("Z"), 0);
  EXPECT_EQ(ReadOffset("UTC-5"), -18000);
  EXPECT_EQ(ReadOffset("+02:00:30"), 7230);
  for (const char* const none : {"", "+19", "+2:", "Europe/Berlin", "+02:60", "z"}) {
    EXPECT_FALSE(ReadOffset(none)) << none;
  }
}

TEST(ReadNumber, ReadsWhatJavaReads) {
  EXPECT_EQ(ReadNumber<double>(" 1.5d"), 1.5);
  EXPECT_EQ(ReadNumber<double>("0x1p3"), 8);
  EXPECT_EQ(ReadNumber<double>("-.5e1"), -5);
  EXPECT_EQ(ReadNumber<double>("1e400"), HUGE_VAL);
  EXPECT_EQ(ReadNumber<double>("-inf"), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(*ReadNumber<double>("nan")));
  EXPECT_EQ(ReadNumber<float>("0.1"), 0.1f);
  for (const char* const none : {"", ".", "1e", "1_0", "+nan", "0x10", "1L", "--1"}) {
    EXPECT_FALSE(ReadNumber<double>(none)) << none;
  }
}

TEST(ReadDecimal, WritesDigitsWithoutAnExponent) {
  EXPECT_EQ(ReadDecimal(" +1.5e3 "), "1500.");
  EXPECT_EQ(ReadDecimal("-9.1E-3"), "-.0091");
  EXPECT_EQ(ReadDecimal(".5"), ".5");
  EXPECT_EQ(ReadDecimal("5."), "5.");
  EXPECT_TRUE(ReadDecimal("1234e-2147483647")->starts_with("." + std::string(50, '0')));
  EXPECT_TRUE(ReadDecimal("0." + std::string(150, '0') + "1e152")->ends_with("0010."));
  for (const char* const none : {"", ".", "-", "e5", "1e", "1e+-5", "1e5.0", "1.2.3", "1_0", "0x1",
                                 "1d", "NaN", "Infinity", "+-1", "1e2147483648", "1 2"}) {
    EXPECT_FALSE(ReadDecimal(none)) << none;
  }
}

TEST(ReadWhole, TakesDigitsThatFit) {
  EXPECT_EQ(ReadWhole("\t+5 "), 5);
  EXPECT_EQ(ReadWhole("-9223372036854775808"), INT64_MIN);
  for (const char* const none : {"", "-", "+-1", "5.0", "1e3", "9223372036854775808", "٣"}) {
    EXPECT_FALSE(ReadWhole(none)) << none;
  }
}

}  // namespace
}  // namespace protium
