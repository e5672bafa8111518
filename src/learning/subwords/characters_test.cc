// SPDX-License-Identifier: Apache-2.0
#include "subwords/characters.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace protium {
namespace {

std::string Lowered(const Characters& characters, std::string_view text) {
  std::u32string lower;
  for (const char32_t code : ToCodePoints(text)) characters.AppendLower(code, lower);
  return AsUtf8(lower);
}

std::string Stripped(const Characters& characters, std::string_view text) {
  std::u32string stripped;
  for (const char32_t code : ToCodePoints(text)) characters.AppendWithoutMarks(code, stripped);
  return AsUtf8(stripped);
}

TEST(Characters, HaveClasses) {
  const Characters characters;
  EXPECT_TRUE(characters.Is(U' ', kBlank));
  EXPECT_TRUE(characters.Is(0x3000, kBlank));
  EXPECT_FALSE(characters.Is(0x200b, kBlank));  // Of no width: a control.
  EXPECT_TRUE(characters.Is(0x200b, kControl));
  EXPECT_TRUE(characters.Is(U'$', kPunctuation));  // Unicode calls it a symbol.
  EXPECT_TRUE(characters.Is(0x2014, kPunctuation));
  EXPECT_FALSE(characters.Is(0xa9, kPunctuation));
  EXPECT_TRUE(characters.Is(0xe9, kLetter));
  EXPECT_TRUE(characters.Is(0xbd, kNumber));
  EXPECT_FALSE(characters.Is(U'x', kNumber | kBlank | kPunctuation | kMark | kControl));
  EXPECT_TRUE(characters.Is(0x4e2d, kIdeograph));
  EXPECT_FALSE(characters.Is(0x110000, 0xff));
}

TEST(Characters, HaveLowerCasesWhateverStandsBesideThem) {
  const Characters characters;
  EXPECT_EQ(Lowered(characters, "aZ ÀÉ Ÿ ΣΑΣ Ж ǅ ẞ 1"), "az àé ÿ σασ ж ǆ ß 1");
  EXPECT_EQ(Lowered(characters, "İ"), "i\u0307");
  EXPECT_EQ(Lowered(characters, "ĀāĂă ꟋA𐐀"), "āāăă ɤa𐐨");
}

TEST(Characters, LoseTheirMarks) {
  const Characters characters;
  EXPECT_EQ(Stripped(characters, "e\u0301 é Å ệ ñ ø ß"), "e e A e n ø ß");
  EXPECT_EQ(Stripped(characters, "각"), "\u1100\u1161\u11a8");
  EXPECT_EQ(Stripped(characters, "가"), "\u1100\u1161");
  EXPECT_EQ(Stripped(characters, "Å豈"), "A豈");  // Compatibility characters of the same shape.
}

TEST(Characters, ComeFromUtf8AndGoBack) {
  const std::string text = "a é € 𝄞";
  EXPECT_EQ(ToCodePoints(text), U"a é € 𝄞");
  EXPECT_EQ(AsUtf8(ToCodePoints(text)), text);
  EXPECT_EQ(ToCodePoints(""), U"");
}

}  // namespace
}  // namespace protium
