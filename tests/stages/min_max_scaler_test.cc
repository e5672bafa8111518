// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions MinMax(Json more = Json::object()) {
  Json options = {{"id", "s"}, {"inputs", {"x"}}};
  options.update(more);
  return {"min_max_scaler", options};
}

class MinMaxScaler : public StageTest {
 protected:
  // What the column x becomes, in the rows it learned from and in others.
  std::string Transformed(const Json& options, const std::string& cells,
                          const std::string& others) {
    const PipelineModel model = Fitted({MinMax(options)}, Table("x\n" + cells));
    return Text(model.Transform(Table("x\n" + others)), {"x"});
  }
};

TEST_F(MinMaxScaler, TakesTheLeastToLowAndTheGreatestToHigh) {
  EXPECT_EQ(Transformed(Json::object(), "2\n4\n-\n10\n", "2\n4\n-\n10\n"), "x__s: 0 0.25 null 1");
  EXPECT_EQ(Transformed({{"low", -1}, {"high", 3}}, "2\n4\n10\n", "2\n4\n10\n"), "x__s: -1 0 3");
}

TEST_F(MinMaxScaler, GoesOnBeyondWhatItSawUnlessItClips) {
  EXPECT_EQ(Transformed(Json::object(), "2\n10\n", "0\n6\n18\n"), "x__s: -0.25 0.5 2");
  EXPECT_EQ(Transformed({{"clip", true}}, "2\n10\n", "0\n6\n18\n-\n"), "x__s: 0 0.5 1 null");
}

TEST_F(MinMaxScaler, LeavesNanAndMakesAConstantColumnLow) {
  EXPECT_EQ(Transformed({{"clip", true}}, "2.0\n10.0\n", "NaN\n2.0\n"), "x__s: nan 0");
  EXPECT_EQ(Transformed({{"low", 0.5}}, "7\n7\n-\n", "7\n9\n-\n"), "x__s: 0.5 0.5 null");
}

// As Spark 4.2.1 does, except that it returns the middle of the range instead of the low end.
TEST_F(MinMaxScaler, LeavesNanInAConstantColumn) {
  EXPECT_EQ(Transformed(Json::object(), "5.0\n5.0\n", "5.0\n-7.0\nNaN\nInf\n-\n"),
            "x__s: 0 0 nan 0 null");
}

TEST_F(MinMaxScaler, LearnsTheSameFromAnyPartsInAnyOrder) {
  std::string up = "x\n0.1\n", down = "x\n";
  for (int i = 0; i < 500; ++i) up += std::to_string(i * 37 % 101) + ".3\n";
  for (int i = 499; i >= 0; --i) down += std::to_string(i * 37 % 101) + ".3\n";
  const std::string one = Text(Fitted({MinMax()}, Table(up)).Transform(Table("x\n0.7\n")));
  Open("local[3]");
  EXPECT_EQ(Text(Fitted({MinMax()}, Table(down + "0.1\n")).Transform(Table("x\n0.7\n"))), one);
}

TEST_F(MinMaxScaler, ScoresTheSameFromASavedModel) {
  const PipelineModel model = Fitted({MinMax({{"clip", true}})}, Table("x\n2\n10\n"));
  ASSERT_TRUE(model.Save("model").ok());
  const auto loaded = PipelineModel::Load(*session_, folder_ / "run" / "model");
  ASSERT_TRUE(loaded.ok()) << Render(FaultOf(loaded.status()));
  EXPECT_EQ(Text(loaded->Transform(Table("x\n4\n")), {"x"}), "x__s: 0.25");
}

TEST_F(MinMaxScaler, RefusesWhatItCannotScale) {
  EXPECT_EQ(FaultOfFitting({MinMax({{"low", 2}})}, "x\n1\n").what, "low = 2 is not below high = 1");
  EXPECT_THAT(FaultOfFitting({MinMax()}, "x\n-1e308\n1e308\n").what,
              HasSubstr("has a spread too large for a double"));
  EXPECT_THAT(FaultOfFitting({MinMax()}, "x\na\n").what, HasSubstr("is string, not numbers"));
  session_->Table("t", session_->Read().Csv("t.csv"));
  const DataFrame none = session_->Sql("SELECT CAST(NULL AS DOUBLE) AS x FROM t");
  EXPECT_THAT(FaultOf(Pipeline({MinMax()}).Fit(none).status()).what, HasSubstr("has no value"));
}

}  // namespace
}  // namespace protium
