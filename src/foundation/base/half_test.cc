// SPDX-License-Identifier: Apache-2.0
#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace protium {
namespace {

TEST(Half, OfEveryValueIsThatValue) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const Half half{uint16_t(bits)};
    const Brain brain{uint16_t(bits)};
    if (std::isnan(Widen(half))) {
      EXPECT_TRUE(std::isnan(Widen(NarrowToHalf(Widen(half))))) << bits;
    } else {
      EXPECT_EQ(NarrowToHalf(Widen(half)).bits, bits);
    }
    if (std::isnan(Widen(brain))) {
      EXPECT_TRUE(std::isnan(Widen(NarrowToBrain(Widen(brain))))) << bits;
    } else {
      EXPECT_EQ(NarrowToBrain(Widen(brain)).bits, bits);
    }
  }
}

TEST(Half, IsTheNearestWithTiesToEven) {
  EXPECT_EQ(NarrowToHalf(1.0f).bits, 0x3C00);
  EXPECT_EQ(NarrowToHalf(65504.0f).bits, 0x7BFF);
  EXPECT_EQ(NarrowToHalf(65519.0f).bits, 0x7BFF);
  EXPECT_EQ(NarrowToHalf(65520.0f).bits, 0x7C00);
  EXPECT_EQ(NarrowToHalf(-1e9f).bits, 0xFC00);
  EXPECT_EQ(NarrowToHalf(2049.0f).bits, NarrowToHalf(2048.0f).bits);
  EXPECT_EQ(NarrowToHalf(2051.0f).bits, NarrowToHalf(2052.0f).bits);
  EXPECT_EQ(NarrowToHalf(0x1p-24f).bits, 1);
  EXPECT_EQ(NarrowToHalf(0x1p-25f).bits, 0);
  EXPECT_EQ(NarrowToHalf(0x1.8p-24f).bits, 2);
  EXPECT_EQ(NarrowToHalf(-0.0f).bits, 0x8000);
  EXPECT_EQ(NarrowToBrain(1.0f).bits, 0x3F80);
  EXPECT_EQ(NarrowToBrain(257.0f).bits, NarrowToBrain(256.0f).bits);
  EXPECT_EQ(NarrowToBrain(259.0f).bits, NarrowToBrain(260.0f).bits);
  EXPECT_TRUE(std::isinf(Widen(NarrowToBrain(std::numeric_limits<float>::max()))));
}

}  // namespace
}  // namespace protium
