// SPDX-License-Identifier: Apache-2.0
#include "ludwig/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using testing::HasSubstr;

Yaml Read(const std::string& text) { return Yaml::Parse(text, "c.yaml").ValueOrDie(); }

Fault Refused(const std::string& text) {
  const auto read = Yaml::Parse(text, "c.yaml");
  return read.ok() ? Fault{.what = "accepted"} : FaultOf(read.status());
}

TEST(Yaml, HasValuesWithTheirLines) {
  Yaml root = Read("a: 1.5\nb:\n  - x\n  - {c: true}\nd: ~\ne: 'null'\n");
  EXPECT_EQ(root.TakeNumber("a"), 1.5);
  Yaml* const list = root.Take("b");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->items().size(), 2u);
  EXPECT_EQ(list->items()[0].text(), "x");
  EXPECT_EQ(list->items()[1].line(), 4);
  EXPECT_EQ(list->items()[1].TakeTruth("c"), true);
  EXPECT_EQ(root.Take("d"), nullptr);
  EXPECT_EQ(root.TakeWord("d"), "null");
  EXPECT_EQ(root.TakeText("e"), "null");
  EXPECT_TRUE(root.Untaken().empty());
}

TEST(Yaml, TellsWhatNobodyTook) {
  Yaml root = Read("a: 1\nb:\n  c: 2\n  d: 3\ne: [{f: 4}]\ng: word\nh: null\n");
  root.Take("b")->TakeNumber("c");
  root.Take("e");
  EXPECT_EQ(root.TakeNumber("g"), std::nullopt);
  std::vector<std::string> left;
  for (const Yaml::Left& each : root.Untaken()) {
    left.push_back(std::to_string(each.line) + " " + each.text);
  }
  EXPECT_THAT(left, testing::ElementsAre("1 a: 1", "4 b.d: 3", "5 e[0].f: 4", "6 g: word"));
}

TEST(Yaml, TakesTruthsAsPyYamlDoes) {
  Yaml root = Read("a: Yes\nb: OFF\nc: true\nd: 1\n");
  EXPECT_EQ(root.TakeTruth("a"), true);
  EXPECT_EQ(root.TakeTruth("b"), false);
  EXPECT_EQ(root.TakeTruth("c"), true);
  EXPECT_EQ(root.TakeTruth("d"), std::nullopt);
}

TEST(Yaml, RefusesWhatItDoesNotRead) {
  EXPECT_EQ(Refused("a: [1\nb: 2").exit, Exit::kInput);
  EXPECT_EQ(Refused("a: 1\nb: }").where, "c.yaml:2");
  EXPECT_THAT(Refused("a: &x 1\nb: *x\n").what, HasSubstr("an alias"));
  EXPECT_THAT(Refused("a: 1\na: 2\n").what, HasSubstr("\"a\" twice"));
  EXPECT_THAT(Refused("[a]: 1\n").what, HasSubstr("a key that is not text"));
  EXPECT_THAT(Refused("a: 1\n---\nb: 2\n").what, HasSubstr("a second document"));
  EXPECT_THAT(Refused(std::string(100, '[')).what, HasSubstr("50 levels"));
  EXPECT_THAT(Refused("a: \xff").what, HasSubstr("UTF-8"));
  EXPECT_TRUE(Read("").is_null());
}

}  // namespace
}  // namespace protium
