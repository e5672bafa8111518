// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

constexpr double kKibi = 1024, kMebi = 1024 * kKibi, kGibi = 1024 * kMebi;

TEST(BytesText, IsInTheLargestUnitOfWhichThereIsOne) {
  EXPECT_EQ(BytesText(0), "0 bytes");
  EXPECT_EQ(BytesText(1), "1 byte");
  EXPECT_EQ(BytesText(1023), "1023 bytes");
  EXPECT_EQ(BytesText(64 * kKibi), "64 KiB");
  EXPECT_EQ(BytesText(1.9 * kMebi), "1.9 MiB");
  EXPECT_EQ(BytesText(23.5 * kGibi), "23.5 GiB");
  EXPECT_EQ(BytesText(168.4 * kMebi), "168 MiB");
  EXPECT_EQ(BytesText(kGibi - 1), "1 GiB");
  EXPECT_EQ(BytesText(5000 * kGibi), "4.9 TiB");
}

}  // namespace
}  // namespace protium
