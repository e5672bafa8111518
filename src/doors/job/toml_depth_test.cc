// SPDX-License-Identifier: Apache-2.0
#include "job/toml_depth.h"

#include <gtest/gtest.h>

#include <string>

namespace protium {
namespace {

std::string Repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Returns the text from where it goes deeper than four levels; "-" if it does not.
std::string TooDeepAt(const std::string& text) {
  const auto at = FindTooDeep(text, 4);
  return at ? text.substr(*at) : "-";
}

TEST(TomlDepth, CountsPartsOfKeysAndItems) {
  EXPECT_EQ(TooDeepAt("[a.b.c.d]\nx = 1\n"), "-");
  EXPECT_EQ(TooDeepAt("[a.b.c.d.e]\nx = 1\n"), "e]\nx = 1\n");
  EXPECT_EQ(TooDeepAt("[[a.b.c.d]]\n"), "-");
  EXPECT_EQ(TooDeepAt("[[a.b.c.d.e]]\n"), "e]]\n");
  EXPECT_EQ(TooDeepAt("a.b.c.d = 1.5\n"), "-");
  EXPECT_EQ(TooDeepAt("a . \"b.b\".c.'d'. e = 1\n"), "e = 1\n");
  EXPECT_EQ(TooDeepAt("a = [[[1, 2]]]\n"), "-");
  EXPECT_EQ(TooDeepAt("a = [\n[\n[\n[\n5]]]]\n"), "5]]]]\n");
  EXPECT_EQ(TooDeepAt("a.b = { c.d = 1.5 }"), "-");
  EXPECT_EQ(TooDeepAt("a.b = { c = { d.e = 1.5 } }"), "e = 1.5 } }");
  EXPECT_EQ(TooDeepAt("a = {b = {c = {}}, d = {e = {}}}\n"), "-");
}

TEST(TomlDepth, IsNotDeceivedByTextsCommentsAndNumbers) {
  EXPECT_EQ(TooDeepAt("a = \"[[[[[[\" # [[[[[[ a.b.c.d.e.f\n"), "-");
  EXPECT_EQ(TooDeepAt("a = \"\\\"[[[[[[\"\nb = '\\'\nc = [1.5, -2.5e-3, 1979-05-27T00:32:00.9]\n"),
            "-");
  EXPECT_EQ(TooDeepAt("a = \"\"\"[[[[[\n\"\" \\\"\"\" [[[[[\"\"\"\"\n"), "-");
  EXPECT_EQ(TooDeepAt("b = '''\n[[[[[[''' # [[[[\n"), "-");
  EXPECT_EQ(TooDeepAt("a = \"\"\"x\"\"\"\nb.c.d.e.f = 1\n"), "f = 1\n");
}

TEST(TomlDepth, BeginsAnewWithEachStatement) {
  EXPECT_EQ(TooDeepAt(Repeated("a = [[1], [2]]\n[t.u]\nb.c.d = {e = 1}\r\n", 50)), "-");
  EXPECT_EQ(TooDeepAt(Repeated("[t\n", 50)), "-") << "that it is no TOML is for others to tell";
  EXPECT_EQ(TooDeepAt("]]]}}}\n[a.b.c.d]\n\"\n'"), "-");
}

}  // namespace
}  // namespace protium
