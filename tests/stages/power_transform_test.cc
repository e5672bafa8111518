// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

StageOptions PowerOf(Json more) {
  Json options = {{"id", "p"}, {"inputs", {"x"}}};
  options.update(more);
  return {"power_transform", options};
}

class PowerTransform : public StageTest {
 protected:
  std::string Of(const Json& options, const std::string& cells) {
    return Text(Fitted({PowerOf(options)}, Table("x\n" + cells)).Transform(Table("x\n" + cells)),
                {"x"});
  }
};

// (2^0.5 - 1) / 0.5, and -(2.5^1.5 - 1) / 1.5.
TEST_F(PowerTransform, IsYeoAndJohnsons) {
  EXPECT_EQ(Of({{"lambda", 0.5}}, "1.0\n-1.5\n0.0\n-\nNaN\n"),
            "x__p: 0.8284271247461901 -1.968564716806983 0 null nan");
  EXPECT_EQ(Of({{"lambda", 0}}, "1.0\n"), "x__p: 0.6931471805599453");
  EXPECT_EQ(Of({{"lambda", 2}}, "-1.0\n1.0\n"), "x__p: -0.6931471805599453 1.5");
  EXPECT_EQ(Of({{"lambda", 1}}, "-1.5\n0.1\n"), "x__p: -1.5 0.1");
}

TEST_F(PowerTransform, IsBoxAndCoxs) {
  EXPECT_EQ(Of({{"how", "box_cox"}, {"lambda", 0.5}}, "4.0\n0.0\n-1.0\n"), "x__p: 2 null null");
  EXPECT_EQ(Of({{"how", "box_cox"}}, "1.0\n-\n"), "x__p: 0 null");
}

TEST_F(PowerTransform, HasRootsAndSquares) {
  EXPECT_EQ(Of({{"how", "sqrt"}}, "9.0\n2.0\n-1.0\n-\n-0.0\n"),
            "x__p: 3 1.4142135623730951 nan null -0");
  EXPECT_EQ(Of({{"how", "square"}}, "3\n-4\n-\n"), "x__p: 9 16 null");
  EXPECT_EQ(Of({{"how", "square"}}, "1e200\n"), "x__p: inf");
}

TEST_F(PowerTransform, ScoresTheSameFromASavedModel) {
  const StageOptions stage = PowerOf({{"how", "square"}});
  EXPECT_EQ(SavedAndLoaded({stage}, "x\n1\n", "x\n2\n"), "x: 2; x__p: 4");
}

}  // namespace
}  // namespace protium
