// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Robust(Json more = Json::object()) {
  Json options = {{"id", "s"}, {"inputs", {"x"}}};
  options.update(more);
  return {"robust_scaler", options};
}

class RobustScaler : public StageTest {
 protected:
  std::string Of(const Json& options, const std::string& cells, const std::string& others) {
    const PipelineModel model = Fitted({Robust(options)}, Table("x\n" + cells));
    return Text(model.Transform(Table("x\n" + others)), {"x"});
  }
};

// Medians and ranges are those of Spark 4.2.1 with relativeError = 0: 5 and 5, 4 and 6, 1 and 1.
TEST_F(RobustScaler, TakesTheMedianAndTheRangeOfSpark) {
  const std::string ten = "10\n9\n8\n7\n6\n5\n4\n3\n2\n1\n";
  EXPECT_EQ(Of(Json::object(), ten, "1\n5\n8\n10\n"), "x__s: -0.8 0 0.6 1");
  EXPECT_EQ(Of({{"center", false}}, ten, "1\n3\n"), "x__s: 0.2 0.6");
  EXPECT_EQ(Of(Json::object(), "100\n1\n2\n8\n4\n", "1\n8\n100\n"),
            "x__s: -0.5 0.6666666666666666 16");
  EXPECT_EQ(Of(Json::object(), "1\n2\n", "1\n2\n"), "x__s: 0 1");
}

TEST_F(RobustScaler, MakesNumbersWithoutARangeZeroAsSpark) {
  EXPECT_EQ(Of(Json::object(), "5\n5\n5\n-\n", "5\n9\n-\n"), "x__s: 0 0 null");
  EXPECT_EQ(Of(Json::object(), "5.0\n5.0\n", "5.0\n-7.0\nNaN\nInf\n-\n"), "x__s: 0 0 nan nan null");
}

TEST_F(RobustScaler, LeavesOutNullAndNan) {
  EXPECT_EQ(Of({{"lower", 0}, {"upper", 1}}, "0.0\nNaN\n-\n4.0\n2.0\n", "4.0\nNaN\n-\n-0.0\n"),
            "x__s: 0.5 nan null -0.5");
}

TEST_F(RobustScaler, LearnsTheSameFromAnyPartsInAnyOrder) {
  std::string up, down;
  for (int i = 0; i < 400; ++i) up += std::to_string(i * 37 % 101) + ".3\n";
  for (int i = 399; i >= 0; --i) down += std::to_string(i * 37 % 101) + ".3\n";
  const std::string one = Of(Json::object(), up, "0.7\n");
  Open("local[3]");
  EXPECT_EQ(Of(Json::object(), down, "0.7\n"), one);
}

TEST_F(RobustScaler, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Robust()}, "x\n1\n2\n3\n4\n", "x\n2\n"), "x: 2; x__s: 0");
  EXPECT_THAT(FaultOfDamage(R"([{"input": "x", "output": "x__s", "median": 1, "range": -1}])",
                            {Robust()}, "x\n1\n2\n"),
              HasSubstr("are damaged"));
}

TEST_F(RobustScaler, RefusesWhatItCannotScale) {
  EXPECT_THAT(FaultOfFitting({Robust({{"lower", 0.8}})}, "x\n1\n").what,
              HasSubstr("must be below upper"));
  EXPECT_THAT(FaultOfFitting({Robust()}, "x\n1.5\nInf\nInf\nInf\n").what,
              HasSubstr("has a spread"));
}

}  // namespace
}  // namespace protium
