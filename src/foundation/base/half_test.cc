// SPDX-License-Identifier: Apache-2.0
#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace protium {
namespace {

TEST(Float16, OfEveryValueIsThatValue) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const Float16 half{uint16_t(bits)};
    const Bfloat16 bfloat16{uint16_t(bits)};
    if (std::isnan(Widen(half))) {
      EXPECT_TRUE(std::isnan(Widen(NarrowToFloat16(Widen(half))))) << bits;
    } else {
      EXPECT_EQ(NarrowToFloat16(Widen(half)).bits, bits);
    }
    if (std::isnan(Widen(bfloat16))) {
      EXPECT_TRUE(std::isnan(Widen(NarrowToBfloat16(Widen(bfloat16))))) << bits;
    } else {
      EXPECT_EQ(NarrowToBfloat16(Widen(bfloat16)).bits, bits);
    }
  }
}

TEST(Float16, IsTheNearestWithTiesToEven) {
  EXPECT_EQ(NarrowToFloat16(1.0f).bits, 0x3C00);
  EXPECT_EQ(NarrowToFloat16(65504.0f).bits, 0x7BFF);
  EXPECT_EQ(NarrowToFloat16(65519.0f).bits, 0x7BFF);
  EXPECT_EQ(NarrowToFloat16(65520.0f).bits, 0x7C00);
  EXPECT_EQ(NarrowToFloat16(-1e9f).bits, 0xFC00);
  EXPECT_EQ(NarrowToFloat16(2049.0f).bits, NarrowToFloat16(2048.0f).bits);
  EXPECT_EQ(NarrowToFloat16(2051.0f).bits, NarrowToFloat16(2052.0f).bits);
  EXPECT_EQ(NarrowToFloat16(0x1p-24f).bits, 1);
  EXPECT_EQ(NarrowToFloat16(0x1p-25f).bits, 0);
  EXPECT_EQ(NarrowToFloat16(0x1.8p-24f).bits, 2);
  EXPECT_EQ(NarrowToFloat16(-0.0f).bits, 0x8000);
  EXPECT_EQ(NarrowToBfloat16(1.0f).bits, 0x3F80);
  EXPECT_EQ(NarrowToBfloat16(257.0f).bits, NarrowToBfloat16(256.0f).bits);
  EXPECT_EQ(NarrowToBfloat16(259.0f).bits, NarrowToBfloat16(260.0f).bits);
  EXPECT_TRUE(std::isinf(Widen(NarrowToBfloat16(std::numeric_limits<float>::max()))));
}

}  // namespace
}  // namespace protium
