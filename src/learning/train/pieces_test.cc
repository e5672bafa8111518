// SPDX-License-Identifier: Apache-2.0
#include "train/pieces.h"

#include <gtest/gtest.h>

#include <vector>

namespace protium {
namespace {

TEST(Pieces, AreTakenStepAfterStep) {
  Pieces pieces(10, 2, 3, {.steps = -1});
  for (const int64_t step : {10, 11}) {
    for (const int32_t shard : {0, 1, 2}) {
      const auto piece = pieces.Take();
      ASSERT_TRUE(piece);
      EXPECT_EQ(piece->step, step);
      EXPECT_EQ(piece->shard, shard);
    }
  }
  EXPECT_TRUE(pieces.taken());
  EXPECT_FALSE(pieces.Take());
  EXPECT_EQ(pieces.most_ahead(), 1);
}

TEST(Pieces, AreNotTakenFurtherAheadThanAllowed) {
  for (const int64_t staleness : {0, 1, 4}) {
    Pieces pieces(0, 20, 2, {.steps = staleness});
    const auto slow = pieces.Take();  // Of step 0, and not done for a while.
    std::vector<Piece> others;
    while (const auto piece = pieces.Take()) {
      others.push_back(*piece);
      pieces.Done(*piece);
    }
    ASSERT_EQ(int64_t(others.size()), 2 * staleness + 1) << staleness;
    EXPECT_EQ(others.back().step, staleness);
    EXPECT_EQ(pieces.most_ahead(), staleness);
    pieces.Done(*slow);
    EXPECT_EQ(pieces.steps_done(), staleness + 1);
    EXPECT_EQ(pieces.Take()->step, staleness + 1);
  }
}

TEST(Pieces, EndAfterTheStepThatHasBegunOnceTheyAreClosed) {
  Pieces pieces(5, 100, 3, {.steps = 8});
  std::vector<Piece> taken{*pieces.Take(), *pieces.Take(), *pieces.Take(), *pieces.Take()};
  pieces.Close();
  EXPECT_EQ(pieces.steps(), 2);
  while (const auto piece = pieces.Take()) taken.push_back(*piece);
  EXPECT_EQ(taken.size(), 6u);
  for (const Piece& each : taken) {
    EXPECT_FALSE(pieces.done());
    pieces.Done(each);
  }
  EXPECT_TRUE(pieces.done());
  EXPECT_EQ(pieces.steps_done(), 2);
}

// So a training that is asked to stop again and again still goes on.
TEST(Pieces, AreThoseOfOneStepWhereTheyAreClosedAtFirst) {
  Pieces pieces(0, 10, 4, {});
  pieces.Close();
  EXPECT_EQ(pieces.steps(), 1);
  for (int i = 0; i < 4; ++i) pieces.Done(*pieces.Take());
  EXPECT_TRUE(pieces.taken());
  EXPECT_TRUE(pieces.done());
}

}  // namespace
}  // namespace protium
