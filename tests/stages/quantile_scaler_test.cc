// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Quantile() { return {"quantile_scaler", {{"id", "s"}, {"inputs", {"x"}}}}; }

class QuantileScaler : public StageTest {
 protected:
  std::string Of(const std::string& cells, const std::string& others) {
    const PipelineModel model = Fitted({Quantile()}, Table("x\n" + cells));
    return Text(model.Transform(Table("x\n" + others)), {"x"});
  }
};

// 10,000 numbers, 0 to 9999, cubed: of these 8413.4 are below Phi(1), 9332.9 below Phi(1.5), 9599.4
// below Phi(1.75).
std::string Cubes() {
  std::string cells;
  for (int i = 0; i < 10000; ++i) cells += fmt::format("{}\n", double(i) * i * i);
  return cells;
}

TEST_F(QuantileScaler, MakesTheQuantilesOfANormalDistribution) {
  // 8413^3, 9331^3, 4999^3 (the lower middle), 1586^3.
  EXPECT_EQ(Of(Cubes(), "595460100997\n812427411691\n124925014999\n3989418056\n"),
            "x__s: 1 1.5 0 -1");
  // Half way from 9331^3 to 9599^3.
  EXPECT_EQ(Of(Cubes(), "848443480245.0\n"), "x__s: 1.625");
}

// Four values are all quantiles: 1 those from -3 to -0.75, 2 from -0.5 to 0, 4 to 0.5, 8 the
// others.
TEST_F(QuantileScaler, GoesOnBeyondTheOuterKnotsUpToALimit) {
  EXPECT_EQ(Of("1\n2\n4\n8\n", "1\n2\n3\n4\n8\n"), "x__s: -1.875 -0.25 0.0625 0.375 1.875");
  EXPECT_EQ(Of("1\n2\n4\n8\n", "0\n-1\n-9\n10\n99\n"), "x__s: -3.5 -4 -4 2.625 4");
}

TEST_F(QuantileScaler, MakesEqualNumbersZero) {
  EXPECT_EQ(Of("5.0\n5.0\n", "5.0\n-7.0\nNaN\nInf\n-\n"), "x__s: 0 0 nan nan null");
}

TEST_F(QuantileScaler, LeavesOutNullAndNan) {
  EXPECT_EQ(Of("0.0\nNaN\n-\n4.0\n", "0.0\n4.0\nNaN\n-\nInf\n-Inf\n"),
            "x__s: -1.5 1.625 nan null 4 -4");
}

TEST_F(QuantileScaler, LearnsTheSameFromAnyPartsInAnyOrder) {
  std::string up, down;
  for (int i = 0; i < 400; ++i) up += std::to_string(i * 37 % 101) + ".3\n";
  for (int i = 399; i >= 0; --i) down += std::to_string(i * 37 % 101) + ".3\n";
  const std::string one = Of(up, "0.7\n");
  Open("local[3]");
  EXPECT_EQ(Of(down, "0.7\n"), one);
}

TEST_F(QuantileScaler, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Quantile()}, "x\n1\n2\n4\n8\n", "x\n3\n"), "x: 3; x__s: 0.0625");
  for (const char* numbers : {"[1, 1]", "[2, 1]", "[1]", "[]"}) {
    const std::string learned = fmt::format(
        R"([{{"input": "x", "output": "x__s", "numbers": {}, "levels": [-1, 1]}}])", numbers);
    EXPECT_THAT(FaultOfDamage(learned, {Quantile()}, "x\n1\n2\n"), HasSubstr("are damaged"));
  }
}

TEST_F(QuantileScaler, RefusesWhatItCannotScale) {
  EXPECT_THAT(FaultOfFitting({Quantile()}, "x\n1.5\nInf\nInf\nInf\n").what,
              HasSubstr("has a spread"));
}

}  // namespace
}  // namespace protium
