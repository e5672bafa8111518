// SPDX-License-Identifier: Apache-2.0
#include "collective/sparse_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace protium {
namespace {

TEST(SparseRows, BeginAtZeroAndAddUp) {
  SparseRows a(2), b(2);
  a.At(7)[0] += 1;
  b.At(7)[1] += 2;
  b.At(3)[0] += 4;
  a.Add(b);
  EXPECT_THAT(a.ids(), testing::ElementsAre(7, 3));
  EXPECT_THAT(std::vector<float>(a.row(0), a.row(0) + 4), testing::ElementsAre(1, 2, 4, 0));
  EXPECT_THAT(a.Ascending(), testing::ElementsAre(1, 0));
}

TEST(SparseRows, HoldNoNegativeZero) {
  SparseRows a(1), b(1);
  *a.At(5) += -0.0f;
  b.Add(a);
  EXPECT_FALSE(std::signbit(*b.At(5)));
}

TEST(SparseRows, FindThousandsOfIdsAgainAfterTheyWereCleared) {
  SparseRows rows(1);
  for (int round = 0; round < 3; ++round) {
    for (int64_t i = 0; i < 5000; ++i) *rows.At(i * 1'000'003) += float(i);
    *rows.At(std::numeric_limits<int64_t>::max()) += 1;
    EXPECT_EQ(rows.count(), 5001);
    for (int64_t i = 0; i < 5000; ++i) ASSERT_EQ(*rows.At(i * 1'000'003), float(i));
    EXPECT_EQ(rows.count(), 5001);
    rows.Clear();
  }
}

}  // namespace
}  // namespace protium
