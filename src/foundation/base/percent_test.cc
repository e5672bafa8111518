// SPDX-License-Identifier: Apache-2.0
#include "base/percent.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

TEST(Percent, IsWrittenForAllButWhatIsPlain) {
  EXPECT_EQ(PercentEncoded("a b/c\xC3\xBC.~", "/."), "a%20b/c%C3%BC.%7E");
}

TEST(Percent, IsDecodedOrNothing) {
  EXPECT_EQ(PercentDecoded(""), "");
  EXPECT_EQ(PercentDecoded("a%20b%2Bc+d%c3%BC"), "a b+c+d\xC3\xBC");
  EXPECT_EQ(PercentDecoded("%00"), std::string(1, '\0'));
  for (const char* text : {"%", "%4", "a%", "%zz", "%4z", "%+1", "%-1", "% 1", "%%20"}) {
    EXPECT_EQ(PercentDecoded(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace protium
