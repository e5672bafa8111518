// SPDX-License-Identifier: Apache-2.0
#include "train/balance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace protium {
namespace {

using testing::ElementsAre;

TEST(BalanceShards, GivesASlowRankFewer) {
  EXPECT_THAT(BalanceShards({0, 4, 8}, {4.0, 1.0}), ElementsAre(0, 1, 8));
  EXPECT_THAT(BalanceShards({0, 2, 4}, {4.0, 1.0}), ElementsAre(0, 1, 4));
  EXPECT_THAT(BalanceShards({0, 3, 6, 8}, {1.0, 6.0, 1.0}), ElementsAre(0, 4, 5, 8));
}

TEST(BalanceShards, LeavesShardsWhereLittleWouldBeWon) {
  EXPECT_THAT(BalanceShards({0, 4, 8}, {1.05, 1.0}), ElementsAre(0, 4, 8));
  EXPECT_THAT(BalanceShards({0, 1, 2}, {9.0, 1.0}), ElementsAre(0, 1, 2)) << "each needs one";
  EXPECT_THAT(BalanceShards({0, 2, 2}, {9.0, 0.0}), ElementsAre(0, 2, 2)) << "one has none";
}

TEST(BalanceShards, ComesBackWhenASlowRankIsQuickAgain) {
  EXPECT_THAT(BalanceShards({0, 1, 8}, {1.0, 7.0}), ElementsAre(0, 4, 8));
}

TEST(BalanceShards, SaysWhatMoves) {
  EXPECT_EQ(DescribeBalance({0, 2, 4}, {0, 1, 4}, {4, 1}),
            "shards move, since ranks were busy for 4.00, 1.00 s: rank 0 has 1 instead of 2, "
            "rank 1 has 3 instead of 2");
}

}  // namespace
}  // namespace protium
