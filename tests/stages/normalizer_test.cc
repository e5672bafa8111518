// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Normal(const std::string& norm) {
  return {"normalizer", {{"id", "n"}, {"inputs", {"a", "b"}}, {"norm", norm}}};
}

class Normalizer : public StageTest {
 protected:
  std::string Of(const std::string& norm, const std::string& rows) {
    const PipelineModel model = Fitted({Normal(norm)}, Table("a,b\n" + rows));
    return Text(model.Transform(Table("a,b\n" + rows)), {"a", "b"});
  }
};

// The results of Spark 4.2.1's Normalizer with p = 2, 1 and inf.
TEST_F(Normalizer, IsSparks) {
  const std::string rows = "3,4\n0,0\n-1,2\n";
  EXPECT_EQ(Of("l2", rows), "a__n: 0.6 0 -0.4472135954999579; b__n: 0.8 0 0.8944271909999159");
  EXPECT_EQ(Of("l1", rows),
            "a__n: 0.42857142857142855 0 -0.3333333333333333; "
            "b__n: 0.5714285714285714 0 0.6666666666666666");
  EXPECT_EQ(Of("max", rows), "a__n: 0.75 0 -0.5; b__n: 1 0 1");
}

TEST_F(Normalizer, HasNoLengthForRowsWithNullOrNan) {
  const std::string rows = "-,2.5\nNaN,2.5\n1.5,-\n";
  for (const char* norm : {"l2", "l1", "max"}) {
    EXPECT_EQ(Of(norm, rows), "a__n: null nan null; b__n: null nan null") << norm;
  }
}

// Spark 4.2.1 returns 0 for the first row of l2 and l1, and NaN for the second.
TEST_F(Normalizer, KeepsNumbersWhoseSquaresLeaveTheRangeOfADouble) {
  // 3 and 4 times 2^700 and 2^-700, and two numbers whose sum overflows.
  const std::string rows =
      "1.578040770464512e+211,2.1040543606193494e+211\n5.7032746988854795e-211,7.60436626518064e-"
      "211\n1e308,1e308\n";
  EXPECT_EQ(Of("l2", rows), "a__n: 0.6 0.6 0.7071067811865475; b__n: 0.8 0.8 0.7071067811865475");
  EXPECT_EQ(Of("l1", rows),
            "a__n: 0.42857142857142855 0.42857142857142855 0.5; "
            "b__n: 0.5714285714285714 0.5714285714285714 0.5");
  EXPECT_EQ(Of("max", rows), "a__n: 0.75 0.75 1; b__n: 1 1 1");
  EXPECT_EQ(Of("l2", "Inf,1.5\n"), "a__n: nan; b__n: 0");
}

TEST_F(Normalizer, GivesTheLabelAwayFromAnyInput) {
  EXPECT_THAT(FaultOfFitting({Normal("l2"), TorchEstimator({.numeric = {"a__n"}, .label = "b"})},
                             "a,b\n1,2\n")
                  .what,
              HasSubstr("the label \"b\" is among its own inputs, as \"a__n\""));
}

TEST_F(Normalizer, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Normal("max")}, "a,b\n1,2\n", "a,b\n2,4\n"),
            "a: 2; b: 4; a__n: 0.5; b__n: 1");
}

}  // namespace
}  // namespace protium
