// SPDX-License-Identifier: Apache-2.0
#include "collective/subtrees.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

std::string Text(const std::vector<Subtree>& subtrees) {
  std::string text;
  for (const Subtree& s : subtrees)
    text += std::to_string(s.begin) + "-" + std::to_string(s.end) + " ";
  return text;
}

TEST(Subtrees, TakeTheWholeTreeForOneOwner) {
  for (int32_t leaves = 1; leaves < 20; ++leaves) {
    EXPECT_EQ(Text(Subtrees(leaves, 0, leaves)), "0-" + std::to_string(leaves) + " ");
  }
}

TEST(Subtrees, AreMaximalAndFollowTheHalving) {
  EXPECT_EQ(Text(Subtrees(4, 0, 2)), "0-2 ");
  EXPECT_EQ(Text(Subtrees(4, 1, 4)), "1-2 2-4 ");
  EXPECT_EQ(Text(Subtrees(7, 0, 4)), "0-3 3-4 ");
  EXPECT_EQ(Text(Subtrees(9, 3, 6)), "3-4 4-6 ");
  EXPECT_EQ(Text(Subtrees(5, 2, 2)), "");
}

TEST(TreeSpec, RefusesOwnersThatDoNotCoverTheLeaves) {
  EXPECT_TRUE(CheckTreeSpec({.leaves = 4, .count = 3, .first = {0, 1, 4}}, 2).ok());
  EXPECT_TRUE(CheckTreeSpec({.leaves = 4, .count = 0, .first = {0, 0, 4}}, 2).ok());
  EXPECT_FALSE(CheckTreeSpec({.leaves = 4, .count = 3, .first = {0, 1, 3}}, 2).ok());
  EXPECT_FALSE(CheckTreeSpec({.leaves = 4, .count = 3, .first = {0, 3, 2, 4}}, 3).ok());
  EXPECT_FALSE(CheckTreeSpec({.leaves = 4, .count = 3, .first = {0, 4}}, 2).ok());
}

}  // namespace
}  // namespace protium
