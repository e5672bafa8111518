// SPDX-License-Identifier: Apache-2.0
#include "leaks/label_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace protium {
namespace {

TEST(LabelInText, FindsWholeWordsAndNumbersAsPeopleWriteThem) {
  EXPECT_TRUE(HoldsWord("Outcome: Good.", "good"));
  EXPECT_FALSE(HoldsWord("goods received", "good"));
  EXPECT_TRUE(HoldsWord("goods, good", "good"));
  EXPECT_FALSE(HoldsWord("anything", ""));
  EXPECT_TRUE(HoldsNumber("sold for $215,000 in May", 215'000));
  EXPECT_TRUE(HoldsNumber("1,299.50 EUR", 1299.5));
  EXPECT_TRUE(HoldsNumber("at -3.5 degrees.", -3.5));
  EXPECT_FALSE(HoldsNumber("lot 2150, 00", 215'000));
  EXPECT_FALSE(HoldsNumber("", 0));
}

TEST(LabelInText, TellsTheLabelOfItsOwnRowFromThatOfAnyRow) {
  LabelInText own, any, usual;
  for (int i = 0; i < 200; ++i) {
    const std::string label = i % 3 == 0 ? "good" : "bad";
    own.Read(fmt::format("case {}: {}", i, i == 7 ? "unknown" : label), label, std::nullopt);
    any.Read("good or bad", label, std::nullopt);
    usual.Read(i % 40 == 1 ? "yes" : "no", i % 6 == 0 && i > 180 ? "yes" : "no", std::nullopt);
  }
  EXPECT_TRUE(own.telling());
  EXPECT_EQ(own.without(), 1);
  EXPECT_FALSE(any.telling());
  EXPECT_FALSE(usual.telling());
}

}  // namespace
}  // namespace protium
