// SPDX-License-Identifier: Apache-2.0
#include "java/json_path.h"

#include <gtest/gtest.h>

#include "java/json_tokens.h"

namespace protium {
namespace {

std::string Find(std::string_view json, std::string_view path) {
  const auto steps = ReadJsonPath(path);
  return steps ? FollowJsonPath(json, *steps).value_or("nothing") : "no path";
}

TEST(JsonPath, ReadsOnlyAsFarAsItHasTo) {
  EXPECT_EQ(Find(R"({"a":1} x)", "$.a"), "1");
  EXPECT_EQ(Find(R"({"a":1 x})", "$.a"), "nothing");
  EXPECT_EQ(Find(R"([1,2)", "$[0]"), "nothing");
}

TEST(JsonPath, WritesNumbersAsJavaDoes) {
  EXPECT_EQ(Find(R"({"a":1E-7})", "$.a"), "1.0E-7");
  EXPECT_EQ(Find(R"({"a":[1.50, 12345678901234567890]})", "$.a"), "[1.5,12345678901234567890]");
}

TEST(JsonPath, LeavesOutTheBracketsOfASingleMatch) {
  EXPECT_EQ(Find(R"([{"a":1},{"b":2}])", "$[*].a"), "1");
  EXPECT_EQ(Find(R"([{"a":1},{"a":"x"}])", "$[*].a"), R"([1,"x"])");
}

TEST(JsonPath, RefusesWhatIsNoPath) {
  for (const char* const path : {"a", "$.", "$a", "$[x]", "$[-1]", "$['a", "$..a", " $"}) {
    EXPECT_EQ(Find("{}", path), "no path") << path;
  }
}

TEST(JsonTokens, EndAtWhatIsNoJson) {
  for (const char* const json : {"{", "[1,]", "[,1]", "{\"a\"}", "{1:2}", "01", "1.", "-", "tru",
                                 "\"a", "\"\\x\"", "\"\\ud800\"", "[1 2]", "{\"a\":}", "1x"}) {
    JsonTokens tokens(json);
    while (tokens.Next() != JsonTokens::Kind::kNone && tokens.kind() != JsonTokens::Kind::kBad) {
    }
    EXPECT_EQ(tokens.kind(), JsonTokens::Kind::kBad) << json;
  }
}

TEST(JsonTokens, DoNotOverflowTheStack) {
  const std::string deep(100000, '[');
  JsonTokens tokens(deep);
  tokens.Next();
  std::string out;
  EXPECT_FALSE(tokens.Copy(out));
}

}  // namespace
}  // namespace protium
