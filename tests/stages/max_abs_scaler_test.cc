// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions MaxAbs() { return {"max_abs_scaler", {{"id", "s"}, {"inputs", {"x"}}}}; }

class MaxAbsScaler : public StageTest {
 protected:
  std::string Of(const std::string& cells, const std::string& others) {
    const PipelineModel model = Fitted({MaxAbs()}, Table("x\n" + cells));
    return Text(model.Transform(Table("x\n" + others)), {"x"});
  }
};

// Spark 4.2.1's MaxAbsScaler returns 0.25 -1 0 0.5 -0 for these.
TEST_F(MaxAbsScaler, DividesByTheGreatestDistanceFromZeroAsSpark) {
  const std::string cells = "2.0\n-8.0\n0.0\n4.0\n-0.0\n";
  EXPECT_EQ(Of(cells, cells), "x__s: 0.25 -1 0 0.5 -0");
}

TEST_F(MaxAbsScaler, MakesTheLargestExactlyOne) {
  EXPECT_EQ(Of("49\n-7\n", "49\n98\n-\n"), "x__s: 1 2 null");
  EXPECT_EQ(Of("5e-324\n0.0\n", "5e-324\n"), "x__s: 1");
  EXPECT_EQ(Of("9007199254740993\n", "9007199254740993\n"), "x__s: 1");
}

// As Spark does.
TEST_F(MaxAbsScaler, LeavesNanAndAColumnOfZerosAsTheyAre) {
  EXPECT_EQ(Of("2.5\nNaN\n-\n", "NaN\n5.0\n"), "x__s: nan 2");
  EXPECT_EQ(Of("0.0\n-0.0\n", "2.5\n-8.0\n-\n"), "x__s: 2.5 -8 null");
}

TEST_F(MaxAbsScaler, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({MaxAbs()}, "x\n2\n10\n", "x\n4\n-\n"), "x: 4 null; x__s: 0.4 null");
  EXPECT_THAT(
      FaultOfDamage(R"([{"input": "x", "output": "x__s", "size": -1}])", {MaxAbs()}, "x\n1\n"),
      HasSubstr("the values that stage \"s\" learned from \"x\" are damaged"));
}

TEST_F(MaxAbsScaler, RefusesWhatItCannotScale) {
  EXPECT_THAT(FaultOfFitting({MaxAbs()}, "x\na\n").what, HasSubstr("is string, not numbers"));
  EXPECT_THAT(FaultOfFitting({MaxAbs()}, "x\n1.5\nInf\n").what, HasSubstr("infinite"));
  EXPECT_THAT(FaultOfFitting({MaxAbs()}, "x,y\n-,1\n").what, HasSubstr("no"));
}

}  // namespace
}  // namespace protium
