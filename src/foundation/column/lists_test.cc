// SPDX-License-Identifier: Apache-2.0
#include "column/lists.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <memory>

namespace protium {
namespace {

std::shared_ptr<arrow::Array> Numbers() {
  arrow::Int64Builder builder;
  EXPECT_TRUE(builder.AppendValues({10, 11, 12, 13, 14, 15}).ok());
  return builder.Finish().ValueOrDie();
}

// [10, 11], [], NULL, [12, 13]
template <class Builder>
std::shared_ptr<arrow::Array> Lists() {
  const auto values = std::make_shared<arrow::Int64Builder>();
  Builder lists(arrow::default_memory_pool(), values);
  EXPECT_TRUE(lists.Append().ok() && values->AppendValues({10, 11}).ok());
  EXPECT_TRUE(lists.Append().ok() && lists.AppendNull().ok());
  EXPECT_TRUE(lists.Append().ok() && values->AppendValues({12, 13}).ok());
  return lists.Finish().ValueOrDie();
}

void ExpectLast(const arrow::Array& lists) {
  ASSERT_TRUE(IsList(*lists.type()));
  EXPECT_EQ(ListAt(*lists.data(), 1).length, 0);
  EXPECT_FALSE(ListAt(*lists.data(), 2).valid);
  // A slice counts rows from its own start, and elements from that of the whole column.
  const auto rest = lists.Slice(3);
  const ListCell last = ListAt(*rest->data(), 0);
  EXPECT_TRUE(last.valid);
  EXPECT_EQ(last.begin, 2);
  EXPECT_EQ(last.length, 2);
}

TEST(Lists, LieWhereTheirOffsetsSay) {
  ExpectLast(*Lists<arrow::ListBuilder>());
  ExpectLast(*Lists<arrow::LargeListBuilder>());
}

TEST(Lists, OfOneLengthLieSideBySide) {
  const auto lists = arrow::FixedSizeListArray::FromArrays(Numbers(), 2).ValueOrDie()->Slice(1);
  const ListCell last = ListAt(*lists->data(), 1);
  EXPECT_EQ(last.begin, 4);
  EXPECT_EQ(last.length, 2);
  EXPECT_FALSE(IsList(*arrow::utf8()));
}

}  // namespace
}  // namespace protium
