// SPDX-License-Identifier: Apache-2.0
#include "inference/json_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "base/json.h"

namespace protium {
namespace {

std::optional<double> Real(std::string_view text) {
  const auto number = NumberAt(text);
  return number ? RealValue(*number) : std::nullopt;
}

std::optional<int64_t> Whole(std::string_view text) {
  const auto number = NumberAt(text);
  return number ? WholeValue(*number) : std::nullopt;
}

TEST(JsonNumber, IsWhatTheStandardCallsOne) {
  for (const char* good : {"0", "-0", "7", "10", "1.5", "-1.25e+3", "1E5", "0.0", "0e0", "1e-9"}) {
    EXPECT_TRUE(NumberAt(good)) << good;
    EXPECT_EQ(NumberAt(std::string(good) + " \n,").value().text, good);
    EXPECT_EQ(NumberAt(std::string(good) + "]").value().text, good);
  }
  for (const char* bad : {"", "-", "+1", "01", "-01", "1.", ".5", "1.e5", "1e", "1e+", "0x10", "1a",
                          "1 2x", "NaN", "Infinity", "--1", "1_000", "1,5"}) {
    const auto number = NumberAt(bad);
    EXPECT_TRUE(!number || number->text == "1") << bad;
  }
}

TEST(JsonNumber, IsTheNearestDouble) {
  EXPECT_EQ(Real("0.1"), 0.1);
  EXPECT_EQ(Real("123456789012345678901234567890"), 123456789012345678901234567890.0);
  EXPECT_EQ(Real("9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(Real("4.9e-324"), 4.9406564584124654e-324);
  EXPECT_FALSE(std::signbit(*Real("-0"))) << "a whole number";
  EXPECT_TRUE(std::signbit(*Real("-0.0")));
}

TEST(JsonNumber, BeyondDoublesIsNoneAndBelowThemZero) {
  const std::string zeros(400, '0');
  for (const std::string& large :
       {std::string("1e999"), std::string("-1e999"), std::string("0.1e400"), "1" + zeros,
        "0.001e+" + std::string(30, '9'), "1" + zeros + "e-1", std::string("1.8e308")}) {
    EXPECT_FALSE(Real(large)) << large;
  }
  for (const std::string& tiny :
       {std::string("1e-999"), "0." + zeros + "1", "0." + zeros + "1e+1", "1" + zeros + "e-999",
        "100e-" + std::string(30, '9'), std::string("2e-324")}) {
    EXPECT_EQ(Real(tiny), 0.0) << tiny;
  }
  EXPECT_TRUE(std::signbit(*Real("-1e-999")));
  EXPECT_EQ(Real("0e" + zeros + "999"), 0.0);
}

TEST(JsonNumber, IsWholeUpToItsLastDigit) {
  EXPECT_EQ(Whole("9223372036854775807"), 9223372036854775807);
  EXPECT_EQ(Whole("-9223372036854775808"), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(Whole("9223372036854775808"), std::nullopt);
  EXPECT_EQ(Whole("7.0"), 7);
  EXPECT_EQ(Whole("1e3"), 1000);
  EXPECT_EQ(Whole("-0"), 0);
  EXPECT_EQ(Whole("7.5"), std::nullopt);
  EXPECT_EQ(Whole("9007199254740994.0"), std::nullopt) << "a float beyond 2^53";
}

// The same bits as ParseJson() reads.
TEST(JsonNumber, HasTheBitsOfTheOtherParser) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 200'000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const std::string text = i % 2 == 0 ? Dump(value) : std::to_string(value / 1e290);
    const double wanted = ParseJson(text)->get<double>();
    ASSERT_EQ(std::bit_cast<uint64_t>(*Real(text)), std::bit_cast<uint64_t>(wanted)) << text;
  }
}

TEST(ShownValue, IsTheFirstOfATextWithoutSpaces) {
  EXPECT_EQ(ShownValue("7.5, 8"), "7.5");
  EXPECT_EQ(ShownValue("7.5}"), "7.5");
  EXPECT_EQ(ShownValue("\"a, \\\"b\", 1"), "\"a, \\\"b\"");
  EXPECT_EQ(ShownValue("[1, {\"a\" : \"] \"} ] ,7"), "[1,{\"a\":\"] \"}]");
  EXPECT_EQ(ShownValue("\"" + std::string(100, 'x') + "\"").size(), 63u);
  EXPECT_EQ(ShownValue("[" + std::string(1000, ' ') + "1"), "[1") << "an end is not needed";
  EXPECT_EQ(ShownValue("\"\\"), "\"\\");
}

}  // namespace
}  // namespace protium
