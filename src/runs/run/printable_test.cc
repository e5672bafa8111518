// SPDX-License-Identifier: Apache-2.0
#include "run/printable.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

TEST(Printable, LeavesTextAlone) {
  for (const char* text : {"", "a\tb\nc\n", "naïve Straße ▁▂█ 🛩", "\n\n"}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(Printable, ShowsControlSequencesInsteadOfSendingThem) {
  EXPECT_EQ(Printable("\x1b]0;owned\x07 \x1b[2J"), "\\u001b]0;owned\\u0007 \\u001b[2J");
  EXPECT_EQ(Printable("a\rb\x7f\b"), "a\\u000db\\u007f\\u0008");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m")
      << "a control sequence in one character";
  EXPECT_EQ(Printable("a\xe2\x80\xae"
                      "b"),
            "a\\u202eb")
      << "text from right to left";
  EXPECT_EQ(Printable(std::string_view("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(Printable("of Windows\r\n"), "of Windows\n");
}

TEST(Printable, ShowsBytesThatAreNoText) {
  EXPECT_EQ(Printable("\xff"
                      "a\x9b"),
            "\\xffa\\x9b");
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xc0\\xaf") << "too long a form of one character";
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half a pair";
  EXPECT_EQ(Printable("\xe2\x80"), "\\xe2\\x80");
}

TEST(Printable, BoundsLines) {
  EXPECT_EQ(Printable(std::string(1000, 'x') + "\nshort", 10),
            "xxxxxxxxxx... (990 bytes more)\nshort");
  EXPECT_EQ(Printable("0123456789", 10), "0123456789");
}

}  // namespace
}  // namespace protium
