// SPDX-License-Identifier: Apache-2.0
#include "column/cells.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace protium {
namespace {

template <class Builder, class Value>
std::shared_ptr<arrow::Array> ArrayOf(std::initializer_list<Value> values) {
  Builder builder;
  for (const Value& each : values) EXPECT_TRUE(builder.Append(each).ok());
  return builder.Finish().ValueOrDie();
}

template <class Builder, class Value>
std::string JsonOf(Value value) {
  return Dump(CellJson(*ArrayOf<Builder, Value>({value}), 0));
}

TEST(CellJson, HasNumbersOfEveryTypeAsNumbers) {
  EXPECT_EQ((JsonOf<arrow::Int8Builder, int8_t>(-7)), "-7");
  EXPECT_EQ((JsonOf<arrow::Int16Builder, int16_t>(300)), "300");
  EXPECT_EQ((JsonOf<arrow::Int32Builder, int32_t>(70'000)), "70000");
  EXPECT_EQ((JsonOf<arrow::Int64Builder, int64_t>(int64_t{1} << 40)), "1099511627776");
  EXPECT_EQ((JsonOf<arrow::UInt8Builder, uint8_t>(200)), "200");
  EXPECT_EQ((JsonOf<arrow::UInt32Builder, uint32_t>(4'000'000'000)), "4000000000");
  EXPECT_EQ((JsonOf<arrow::FloatBuilder, float>(0.1f)), "0.1");
  EXPECT_EQ((JsonOf<arrow::FloatBuilder, float>(3.0f)), "3.0");
  EXPECT_EQ((JsonOf<arrow::DoubleBuilder, double>(0.1)), "0.1");
}

TEST(CellJson, HasAsTextWhatJsonHasNot) {
  EXPECT_EQ((JsonOf<arrow::DoubleBuilder, double>(std::nan(""))), "\"nan\"");
  EXPECT_EQ((JsonOf<arrow::FloatBuilder, float>(-std::numeric_limits<float>::infinity())),
            "\"-inf\"");
  EXPECT_EQ((JsonOf<arrow::BinaryBuilder, std::string>("abc")), "\"3 bytes\"");
}

}  // namespace
}  // namespace protium
