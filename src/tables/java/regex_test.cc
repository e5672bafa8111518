// SPDX-License-Identifier: Apache-2.0
#include "java/regex.h"

#include <gtest/gtest.h>

#include <string>

#include "base/fault.h"
#include "java/java_regex.h"

namespace protium {
namespace {

// The first match, in brackets; empty if there is none.
std::string First(std::string_view pattern, std::string_view text) {
  Result<Regex> regex = Regex::Compile(pattern);
  if (!regex.ok()) return Render(FaultOf(regex.status()));
  const Result<bool> found = regex->Find(text, 0);
  if (!found.ok()) return Render(FaultOf(found.status()));
  return *found ? "[" + std::string(regex->Group(text, 0)) + "]" : "";
}

bool Refused(std::string_view pattern) {
  const Result<Regex> regex = Regex::Compile(pattern);
  return !regex.ok() && FaultOf(regex.status()).exit == Exit::kUsage &&
         !FaultOf(regex.status()).why.empty();
}

TEST(Regex, MatchesFromLeftToRightAsJavaDoes) {
  EXPECT_EQ(First("a|ab", "ab"), "[a]");
  EXPECT_EQ(First("a*?b", "aab"), "[aab]");
  EXPECT_EQ(First("(?<=a)b+", "abb"), "[bb]");
  EXPECT_EQ(First("a++a", "aaa"), "");
  EXPECT_EQ(First("(\\w)\\1", "abccd"), "[cc]");
  EXPECT_EQ(First("(?<c>x)\\k<c>", "axx"), "[xx]");
  EXPECT_EQ(First("\\Qa.b\\E+", "a.bb"), "[a.bb]");
}

TEST(Regex, KnowsJavasLettersSpacesAndLines) {
  EXPECT_EQ(First("\\w+", "é1"), "[1]");
  EXPECT_EQ(First("\\s", "a\vb"), "[\v]");
  EXPECT_EQ(First("\\s", "a\u00a0b"), "");
  EXPECT_EQ(First("\\h", "a\u00a0b"), "[\u00a0]");
  EXPECT_EQ(First("(?i)É", "é"), "");
  EXPECT_EQ(First("(?iu)É", "é"), "[é]");
  EXPECT_EQ(First("(?i)[x-z]", "Y"), "[Y]");
  EXPECT_EQ(First("a.b", "a\u2028b"), "");
  EXPECT_EQ(First("a.b", "a\vb"), "[a\vb]");
  EXPECT_EQ(First("a$", "a\r\n"), "[a]");
  EXPECT_EQ(First("a$", "a\n\n"), "");
  EXPECT_EQ(First("(?m)^b", "a\r\nb"), "[b]");
  EXPECT_EQ(First("\\bx", "éx"), "");
}

TEST(Regex, ReckonsWithClasses) {
  EXPECT_EQ(First("[a-d&&[^bc]]+", "bcda"), "[da]");
  EXPECT_EQ(First("[^a[b]]", "abc"), "[c]");
  EXPECT_EQ(First("[]a]+", "x]a"), "[]a]");
  EXPECT_EQ(First("[a\\-z]+", "-z"), "[-z]");
  EXPECT_EQ(First("\\p{Lu}", "aÉ"), "[É]");
  EXPECT_EQ(First("\\p{Alpha}+", "éab"), "[ab]");
  EXPECT_EQ(First("[\\p{L}&&[^a]]", "aß"), "[ß]");
}

TEST(Regex, FindsEmptyMatchesOnce) {
  Result<Regex> regex = Regex::Compile("x*");
  ASSERT_TRUE(regex.ok());
  const std::string text = "éx";
  int count = 0;
  for (size_t from = 0; *regex->Find(text, from); from = NextFrom(text, *regex)) ++count;
  EXPECT_EQ(count, 3);
}

TEST(Regex, RefusesByNameWhatItDoesNotKnow) {
  for (const char* const pattern : {"[", "(", ")", "*a", "a{", "a{,2}", "\\", "[b-a]", "(?<1>a)",
                                    "\\2(a)", "(?x)a", "\\G", "\\p{Nothing}", "(?<=a*)b", "\\y"}) {
    EXPECT_TRUE(Refused(pattern)) << pattern;
  }
}

TEST(Regex, GivesUpInsteadOfRunningForEver) {
  Result<Regex> regex = Regex::Compile("(a+)+$");
  ASSERT_TRUE(regex.ok());
  EXPECT_FALSE(regex->Find(std::string(64, 'a') + "b", 0).ok());
}

}  // namespace
}  // namespace protium
