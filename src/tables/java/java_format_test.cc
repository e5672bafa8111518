// SPDX-License-Identifier: Apache-2.0
#include "java/java_format.h"

#include <gtest/gtest.h>

#include "java/decimal_format.h"

namespace protium {
namespace {

template <class... Values>
std::string Write(std::string_view format, Values... values) {
  FormatSpecifier specifier;
  size_t at = 1;
  if (!ReadSpecifier(format, at, specifier)) return "refused";
  std::string out;
  WriteFormatted(specifier, values..., out);
  return out;
}

TEST(JavaFormat, RoundsTheShortestDigitsHalfUp) {
  EXPECT_EQ(Write("%.2f", 2.675), "2.68");
  EXPECT_EQ(Write("%.0f", 0.5), "1");
  EXPECT_EQ(Write("%.3f", 0.0004), "0.000");
  EXPECT_EQ(Write("%.1f", 9.96), "10.0");
}

TEST(JavaFormat, PadsAndSigns) {
  EXPECT_EQ(Write("%05d", int64_t{-42}, 32), "-0042");
  EXPECT_EQ(Write("%(,d", int64_t{-1234567}, 64), "(1,234,567)");
  EXPECT_EQ(Write("%x", int64_t{-1}, 8), "ff");
  EXPECT_EQ(Write("%-4s|", std::string_view("é")), "é   ");
}

TEST(JavaFormat, RefusesWhatJavaRefuses) {
  for (const char* const format : {"%y", "%5", "%-d", "%+ d", "%.2d", "%#s", "%--5d", "%0$d"}) {
    EXPECT_EQ(Write(format, int64_t{1}, 32), "refused") << format;
  }
}

TEST(DecimalFormat, RefusesWhatItDoesNotHave) {
  for (const char* const pattern : {"0E0", "0%", "0;(0)", "0.0.0", "0#", "#,"}) {
    EXPECT_FALSE(ReadDecimalFormat(pattern)) << pattern;
  }
  EXPECT_EQ(WriteByPattern(*ReadDecimalFormat("#,##0.0#"), "-1234.50"), "-1,234.5");
}

}  // namespace
}  // namespace protium
