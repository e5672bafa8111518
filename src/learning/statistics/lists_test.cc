// SPDX-License-Identifier: Apache-2.0
#include "statistics/lists.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace protium {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Rows = std::vector<std::optional<std::vector<int64_t>>>;

std::shared_ptr<arrow::Array> Column(const Rows& rows) {
  const auto numbers = std::make_shared<arrow::Int64Builder>();
  arrow::ListBuilder lists(arrow::default_memory_pool(), numbers);
  for (const auto& row : rows) {
    EXPECT_TRUE((row ? lists.Append() : lists.AppendNull()).ok());
    if (!row) continue;
    EXPECT_TRUE(numbers->AppendValues(*row).ok());
  }
  return lists.Finish().ValueOrDie();
}

TEST(NumberLists, AreThoseOfAPartOfAColumn) {
  const auto column = Column({{{1, 2}}, std::nullopt, {{}}, {{3}}, {{4, 5, 6}}, {{7}}});
  const auto all = NumberLists::Of(*column);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_THAT(all->At(0), ElementsAre(1, 2));
  EXPECT_TRUE(all->IsNull(1));
  EXPECT_THAT(all->At(2), IsEmpty());
  EXPECT_THAT(all->At(4), ElementsAre(4, 5, 6));
  // Every part of it.
  for (int64_t begin = 0; begin <= column->length(); ++begin) {
    for (int64_t rows = 0; begin + rows <= column->length(); ++rows) {
      const auto part = NumberLists::Of(*column->Slice(begin, rows));
      ASSERT_TRUE(part.ok());
      ASSERT_EQ(part->rows(), rows);
      for (int64_t row = 0; row < rows; ++row) {
        EXPECT_EQ(part->IsNull(row), all->IsNull(begin + row));
        const auto found = part->At(row), wanted = all->At(begin + row);
        EXPECT_TRUE(std::ranges::equal(found, wanted)) << begin << " " << row;
      }
    }
  }
}

TEST(NumberLists, OfNothingButNullHaveNoNumbers) {
  const auto lists = NumberLists::Of(*Column({std::nullopt, std::nullopt}));
  ASSERT_TRUE(lists.ok());
  EXPECT_TRUE(lists->IsNull(1));
  EXPECT_THAT(lists->At(1), IsEmpty());
}

}  // namespace
}  // namespace protium
