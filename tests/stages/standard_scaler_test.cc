// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

class StandardScalerStages : public StageTest {
 protected:
  static StageOptions Standard() { return StandardScaler({.id = "s", .inputs = {"x"}}); }
  std::string Of(const std::string& cells, const std::string& others) {
    return Text(Fitted({Standard()}, Table("x\n" + cells)).Transform(Table("x\n" + others)), {"x"});
  }
};

// The results of Spark 4.2.1's StandardScaler with withMean = true, to all digits here.
TEST_F(StandardScalerStages, ScaleAsSpark) {
  EXPECT_EQ(Of("1\n3\n-\n", "1\n2\n3\n-\n"), "x__s: -0.7071067811865475 0 0.7071067811865475 null");
}

// Spark returns 0, -0, NaN and NaN: it multiplies by 0.
TEST_F(StandardScalerStages, MakeFiniteNumbersOfAConstantColumnZeroAsSpark) {
  EXPECT_EQ(Of("5.0\n5.0\n", "5.0\n-7.0\nNaN\nInf\n-\n"), "x__s: 0 0 nan nan null");
}

TEST_F(StandardScalerStages, LeaveOutNullAndNan) {
  EXPECT_EQ(Of("1.0\nNaN\n-\n3.0\n", "2.0\nNaN\n-\n"), "x__s: 0 nan null");
}

TEST_F(StandardScalerStages, ScoreTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Standard()}, "x\n1\n3\n", "x\n2\n"), "x: 2; x__s: 0");
  EXPECT_THAT(FaultOfDamage(R"([{"input": "x", "output": "x__s", "mean": 1, "deviation": -1}])",
                            {Standard()}, "x\n1\n2\n"),
              HasSubstr("are damaged"));
}

TEST_F(StandardScalerStages, RefuseWhatTheyCannotScale) {
  EXPECT_THAT(FaultOfFitting({Standard()}, "x\n1.5\nInf\n").what, HasSubstr("infinite"));
  EXPECT_THAT(FaultOfFitting({Standard()}, "x\n-1e308\n1e308\n").what, HasSubstr("has a spread"));
  EXPECT_THAT(FaultOfFitting({Standard()}, "x,y\n-,1\n").what, HasSubstr("x"));
}

}  // namespace
}  // namespace protium
