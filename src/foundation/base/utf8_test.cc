// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

TEST(CutText, DividesNoCodePoint) {
  const std::string text = "aä€😀b";  // Of 1, 2, 3, 4 and 1 bytes.
  for (const auto& [most, bytes] : std::vector<std::pair<size_t, size_t>>{
           {0, 0}, {1, 1}, {2, 1}, {3, 3}, {5, 3}, {6, 6}, {9, 6}, {10, 10}, {11, 11}, {99, 11}}) {
    EXPECT_EQ(CutText(text, most), text.substr(0, bytes)) << most;
  }
}

TEST(CutText, SaysInMessagesThatSomethingIsLeftOut) {
  EXPECT_EQ(Shortened("short", 5), "short");
  EXPECT_EQ(Shortened("longer", 5), "longe...");
  EXPECT_EQ(Shortened("äää", 3), "ä...");
}

}  // namespace
}  // namespace protium
