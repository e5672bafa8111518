// SPDX-License-Identifier: Apache-2.0
#include "base/hmac.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace protium {

TEST(HmacSha256, AgreesWithTheStandardsExample) {
  // RFC 4231, test case 2.
  EXPECT_EQ(Hex(HmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

}  // namespace protium
