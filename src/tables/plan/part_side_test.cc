// SPDX-License-Identifier: Apache-2.0
#include "plan/part_side.h"

#include <gtest/gtest.h>

#include "base/digest.h"

namespace protium {
namespace {

// Whether `text` after the seed 7 is the text hashed for the cells: no other has the same bounds.
bool Hashes(const std::vector<CutCell>& cells, const std::string& text) {
  const std::string digits = Md5Hex("7" + text).substr(0, 13);
  return !PartSides("7", digits).OnPart(cells) && PartSides("7", digits + "0").OnPart(cells);
}

TEST(PartSide, HashesTheTextsOfCells) {
  EXPECT_TRUE(Hashes({{.kind = CutKind::kDate, .whole = 15706}, {}}, "+10:2013-01-01-"));
  EXPECT_TRUE(Hashes({{.kind = CutKind::kWhole, .whole = -12}}, "+3:-12"));
  EXPECT_TRUE(Hashes({{.kind = CutKind::kWhole, .whole = INT64_MIN}}, "+20:-9223372036854775808"));
  EXPECT_TRUE(
      Hashes({{.kind = CutKind::kFlag, .whole = 1}, {.kind = CutKind::kFlag}}, "+4:true+5:false"));
  EXPECT_TRUE(Hashes({{.kind = CutKind::kText, .text = "日本"}}, "+2:日本"));
  EXPECT_TRUE(Hashes({{.kind = CutKind::kText}}, "+0:"));
  EXPECT_TRUE(Hashes({{.kind = CutKind::kText, .text = "a\x80\xf0z"}}, "+3:a\x80\xf0z"));
}

TEST(PartSide, WritesFarDatesWithASign) {
  const std::pair<int64_t, std::string> dates[] = {{0, "1970-01-01"},
                                                   {-1, "1969-12-31"},
                                                   {11016, "2000-02-29"},
                                                   {-25509, "1900-02-28"},
                                                   {-719162, "0001-01-01"},
                                                   {-719163, "0000-12-31"},
                                                   {-719529, "-0001-12-31"},
                                                   {2932896, "9999-12-31"},
                                                   {2932897, "+10000-01-01"},
                                                   {INT32_MAX, "+5881580-07-11"},
                                                   {INT32_MIN, "-5877641-06-23"}};
  for (const auto& [days, text] : dates) {
    EXPECT_TRUE(Hashes({{.kind = CutKind::kDate, .whole = days}},
                       "+" + std::to_string(text.size()) + ":" + text))
        << text;
  }
}

TEST(PartSide, BoundsAreThirteenDigits) {
  EXPECT_EQ(PartBound(0.2), "3333333333333");
  EXPECT_EQ(PartBound(1e-12), "0000000001197");
}

// More distinct rows than are remembered.
TEST(PartSide, RemembersNoOtherRowsSide) {
  PartSides sides("7", PartBound(0.3));
  for (int round = 0; round < 2; ++round) {
    for (int64_t i = 0; i < 20000; ++i) {
      const bool on_part =
          Md5Hex("7+" + std::to_string(std::to_string(i).size()) + ":" + std::to_string(i))
              .substr(0, 13) < PartBound(0.3);
      const CutCell cell{.kind = CutKind::kWhole, .whole = i};
      ASSERT_EQ(sides.OnPart(std::span(&cell, 1)), on_part) << i;
    }
  }
}

}  // namespace
}  // namespace protium
