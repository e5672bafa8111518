// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <gtest/gtest.h>

#include "base/fault.h"

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

TEST(ReadBytes, TakesDecimalAndBinaryUnits) {
  EXPECT_EQ(ReadBytes("4 GiB").ValueOrDie(), int64_t{4} << 30);
  EXPECT_EQ(ReadBytes("500MB").ValueOrDie(), 500000000);
  EXPECT_EQ(ReadBytes("1024").ValueOrDie(), 1024);
  for (const char* bad : {"", "GiB", "4 gigs", "-1", "nan", "1e300"}) {
    EXPECT_FALSE(ReadBytes(bad).ok()) << bad;
  }
}

TEST(SizeAt, NamesTheOptionWithTheMistake) {
  EXPECT_EQ(SizeAt("engine.memory", "").ValueOrDie(), 0);
  EXPECT_EQ(SizeAt("engine.memory", "64 KiB").ValueOrDie(), 65536);
  EXPECT_EQ(FaultOf(SizeAt("engine.memory", "lots").status()).what,
            "engine.memory must be a size such as \"4 GiB\", got \"lots\"");
}

TEST(MicrosOf, ReadsANumberAndAUnit) {
  EXPECT_EQ(MicrosOf("30 s"), 30'000'000);
  EXPECT_EQ(MicrosOf("1 minute"), 60'000'000);
  EXPECT_EQ(MicrosOf("5minutes"), 300'000'000);
  EXPECT_EQ(MicrosOf("2 days"), 172'800'000'000);
  EXPECT_EQ(MicrosOf("0 seconds"), 0);
  for (const char* bad : {"", "5", "minutes", "-1 s", "1.5 h", "5 weeks", "5 minutes ",
                          "99999999 days", "99999999999999999999 s"}) {
    EXPECT_EQ(MicrosOf(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace protium
