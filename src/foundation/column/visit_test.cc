// SPDX-License-Identifier: Apache-2.0
#include "column/visit.h"

#include <arrow/array.h>
#include <arrow/builder.h>
#include <gtest/gtest.h>

namespace protium {
namespace {

template <class Builder, class Value>
std::shared_ptr<arrow::Array> One(Value value) {
  Builder builder;
  EXPECT_TRUE(builder.Append(value).ok());
  return builder.Finish().ValueOrDie();
}

TEST(Visit, GivesAColumnAsTheArrayOfItsType) {
  double seen = 0;
  const auto see = [&](const auto& array) { seen = double(array.Value(0)); };
  EXPECT_TRUE(VisitWholes(*One<arrow::Int8Builder>(-7), see));
  EXPECT_EQ(seen, -7);
  EXPECT_TRUE(VisitWholes(*One<arrow::BooleanBuilder>(true), see));
  EXPECT_EQ(seen, 1);
  EXPECT_TRUE(VisitUnsigned(*One<arrow::UInt64Builder>(9u), see));
  EXPECT_EQ(seen, 9);
  EXPECT_TRUE(VisitReals(*One<arrow::FloatBuilder>(0.5f), see));
  EXPECT_EQ(seen, 0.5);
}

TEST(Visit, CallsNothingForOtherTypes) {
  const auto never = [](const auto&) { FAIL(); };
  EXPECT_FALSE(VisitWholes(*One<arrow::DoubleBuilder>(1.0), never));
  EXPECT_FALSE(VisitReals(*One<arrow::Int32Builder>(1), never));
  EXPECT_FALSE(VisitUnsigned(*One<arrow::StringBuilder>("1"), never));
}

}  // namespace
}  // namespace protium
