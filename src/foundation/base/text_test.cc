// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

TEST(Text, DigitsAreNoLetters) {
  EXPECT_TRUE(IsDigit('7') && !IsLetter('7') && IsNameCharacter('7'));
  EXPECT_TRUE(IsLetter('Z') && !IsLetter('_') && IsNameCharacter('_'));
  EXPECT_FALSE(IsLetter('\xc3') || IsNameCharacter('\xc3') || IsNameCharacter('-'));
}

TEST(Text, IsTrimmedQuotedAndCounted) {
  EXPECT_EQ(Trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(Trimmed(" \n"), "");
  EXPECT_EQ(InQuotes("a\"b", '"'), "\"a\"\"b\"");
  EXPECT_EQ(Counted(1, "worker"), "1 worker");
  EXPECT_EQ(Counted(0, "worker"), "0 workers");
}

TEST(Text, IsANumberAsAWhole) {
  EXPECT_EQ(AllAsNumber<int64_t>("-7"), -7);
  EXPECT_EQ(AllAsNumber<double>("1e3"), 1000.0);
  for (const char* text : {"", "7 ", " 7", "+7", "7x", "9223372036854775808"}) {
    EXPECT_EQ(AllAsNumber<int64_t>(text), std::nullopt) << text;
  }
}

TEST(Text, IsReplacedWhereverItStands) {
  EXPECT_EQ(Replaced("a/b/a", "a", "aa"), "aa/b/aa");
  EXPECT_EQ(Replaced("", "a", "b"), "");
}

TEST(Text, BytesAreTwoDigitsEach) { EXPECT_EQ(Hex(std::string_view("\x00\xff\x0a", 3)), "00ff0a"); }

}  // namespace
}  // namespace protium
