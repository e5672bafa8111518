// SPDX-License-Identifier: Apache-2.0
#include "column/decimals.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <string>

namespace protium {
namespace {

double Nearest(const std::string& text) {
  arrow::Decimal128 value;
  int32_t precision = 0, scale = 0;
  EXPECT_TRUE(arrow::Decimal128::FromString(text, &value, &precision, &scale).ok());
  return NearestDouble(value, scale);
}

TEST(NearestDouble, IsWhatTheDigitsSay) {
  EXPECT_EQ(Nearest("0.1"), 0.1);
  EXPECT_EQ(Nearest("-1.25"), -1.25);
  EXPECT_EQ(Nearest("9007199254740993"), 9007199254740992.0);  // 2^53 + 1 lies between two.
  EXPECT_EQ(Nearest("12345678901234567.1234567890"), 12345678901234567.1234567890);
  EXPECT_EQ(Nearest("0.00000000000000000000000000000000000001"), 1e-38);
  EXPECT_EQ(Nearest("-99999999999999999999999999999999999999"), -1e38);
}

TEST(AsDoubles, KeepsNulls) {
  arrow::Decimal128Builder builder(arrow::decimal128(9, 2));
  ASSERT_TRUE(builder.Append(arrow::Decimal128(125)).ok() && builder.AppendNull().ok());
  const auto decimals = builder.Finish().ValueOrDie();
  const auto doubles =
      AsDoubles(static_cast<const arrow::Decimal128Array&>(*decimals)).ValueOrDie();
  EXPECT_EQ(doubles->ToString(), "[\n  1.25,\n  null\n]");
}

}  // namespace
}  // namespace protium
