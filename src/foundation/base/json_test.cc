// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "base/fault.h"

namespace protium {
namespace {

using testing::HasSubstr;

std::string Repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

// `[{},{},...]`
std::string Siblings(size_t number) { return "[" + Repeated("{},", number - 1) + "{}]"; }

// `{"key0":[0],"key1":[1],...}`
std::string Keys(size_t number) {
  std::string text = "{";
  for (size_t i = 0; i < number; ++i) {
    const std::string digits = std::to_string(i);
    text += (i == 0 ? "\"key" : ",\"key") + digits + "\":[" + digits + "]";
  }
  return text + "}";
}

// The least of a few tries: other work on the machine can only add to it.
double SecondsToParse(const std::string& text) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(ParseJson(text).ok());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count());
  }
  return least;
}

TEST(Json, KeepsTheOrderOfKeysAndEveryKindOfValue) {
  const std::string text =
      R"({"z":null,"a":[true,-1,18446744073709551615,1.5,"\u00e9"],"m":{"":[[],{}]}})";
  EXPECT_EQ(Dump(*ParseJson(text)), R"({"z":null,"a":[true,-1,18446744073709551615,1.5,"é"],)"
                                    R"("m":{"":[[],{}]}})");
  EXPECT_EQ(*ParseJson("7"), Json(7));
}

TEST(Json, TakesTheLastOfTwoValuesInThePlaceOfTheFirst) {
  EXPECT_EQ(Dump(*ParseJson(R"({"a":1,"b":{"x":1,"x":2,"x":3},"c":0,"a":[4]})")),
            R"({"a":[4],"b":{"x":3},"c":0})");
}

TEST(Json, RefusesWhatIsNoneWithItsPlace) {
  EXPECT_THAT(ParseJson("{\"a\":\n1,}").status().message(), HasSubstr("line 2, column 3"));
  EXPECT_THAT(ParseJson("[1] 2").status().message(), HasSubstr("not valid JSON"));
  EXPECT_THAT(ParseJson("").status().message(), HasSubstr("not valid JSON"));
  EXPECT_THAT(ParseJson("\"\xff\"").status().message(), HasSubstr("not valid JSON"));
  EXPECT_THAT(ParseJson("1e999").status().message(), HasSubstr("not valid JSON"));
  EXPECT_EQ(FaultOf(ParseJson("nul").status()).exit, Exit::kInput);
}

TEST(Json, RefusesMoreThan200Levels) {
  const auto nested = [](size_t levels) {
    return Repeated("[{\"a\":", levels / 2) + "1" + Repeated("}]", levels / 2);
  };
  EXPECT_TRUE(ParseJson(nested(200)).ok());
  EXPECT_THAT(ParseJson(nested(202)).status().message(), HasSubstr("deeper than 200 levels"));
  EXPECT_THAT(ParseJson(std::string(5'000'000, '[')).status().message(),
              HasSubstr("deeper than 200 levels"));
}

// Eight times the text takes about eight times as long; if all siblings or keys were compared for
// each of them, it would take 64 times as long.
TEST(Json, ReadsManySiblingsInATimeThatGrowsWithTheirNumber) {
  const double few = SecondsToParse(Siblings(50'000));
  EXPECT_LT(SecondsToParse(Siblings(400'000)), 30 * few + 0.1);
}

TEST(Json, ReadsManyKeysInATimeThatGrowsWithTheirNumber) {
  const double few = SecondsToParse(Keys(40'000));
  EXPECT_LT(SecondsToParse(Keys(320'000)), 30 * few + 0.1);
  const Json many = *ParseJson(Keys(300'000));
  ASSERT_EQ(many.size(), 300'000u);
  EXPECT_EQ(many.rbegin().key(), "key299999");
}

TEST(Json, NumbersUnderAKeyOrWhatIsSaid) {
  const Json json = {{"whole", 7}, {"part", 0.5}, {"text", "7"}};
  EXPECT_EQ(WholeAt(json, "whole"), 7);
  EXPECT_EQ(WholeAt(json, "part", 3), 3);
  EXPECT_EQ(NumberAt(json, "whole"), 7);
  EXPECT_EQ(NumberAt(json, "part"), 0.5);
  EXPECT_EQ(NumberAt(json, "text", -1), -1);
  EXPECT_EQ(WholeAt(Json(7), "whole"), 0);
}

}  // namespace
}  // namespace protium
