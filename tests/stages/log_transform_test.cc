// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Log(const std::string& how) {
  return {"log_transform", {{"id", "l"}, {"inputs", {"x"}}, {"how", how}}};
}

class LogTransform : public StageTest {
 protected:
  std::string Of(const std::string& how, const std::string& cells) {
    return Text(Fitted({Log(how)}, Table("x\n" + cells)).Transform(Table("x\n" + cells)), {"x"});
  }
};

// NULL where there is no logarithm, and to the last digit the result of Spark 4.2.1's SQL.
TEST_F(LogTransform, IsThatOfSparksSql) {
  EXPECT_EQ(Of("log1p", "0.0\n-0.0\n1.0\n1e-20\n-1.0\n-2.0\nNaN\n-\nInf\n"),
            "x__l: 0 -0 0.6931471805599453 1e-20 null null nan null inf");
  EXPECT_EQ(Of("ln", "1.0\n10.0\n0.0\n-3.0\n5e-324\nNaN\n-\n"),
            "x__l: 0 2.302585092994046 null null -744.4400719213812 nan null");
  EXPECT_EQ(Of("expm1", "0.0\n1.0\n-1.0\n1e-20\n1000.0\n-1000.0\n-\n"),
            "x__l: 0 1.718281828459045 -0.6321205588285577 1e-20 inf -1 null");
}

TEST_F(LogTransform, HasOtherBasesAndASign) {
  EXPECT_EQ(Of("log2", "8.0\n0.5\n1024.0\n"), "x__l: 3 -1 10");
  EXPECT_EQ(Of("log10", "1000.0\n0.01\n"), "x__l: 2.9999999999999996 -1.9999999999999996");
  EXPECT_EQ(Of("signed_log1p", "1.0\n-1.0\n0.0\n-\nNaN\n"),
            "x__l: 0.6931471805599453 -0.6931471805599453 0 null nan");
}

TEST_F(LogTransform, TakesWholeNumbersBeyondDoubles) {
  EXPECT_EQ(Of("ln", "9007199254740993\n1\n"), "x__l: 36.7368005696771 0");
}

TEST_F(LogTransform, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Log("log2")}, "x\n1\n", "x\n2\n-\n"), "x: 2 null; x__l: 1 null");
  EXPECT_THAT(FaultOfFitting({Log("log7")}, "x\n1\n").what, HasSubstr("log7"));
}

}  // namespace
}  // namespace protium
