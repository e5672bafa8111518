// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Select(double threshold) {
  return {"variance_threshold_selector",
          {{"id", "v"}, {"inputs", {"a", "b", "c"}}, {"threshold", threshold}}};
}

constexpr const char* kThreeColumns = "a,b,c\n1,6,0\n1,8,0.5\n1,7,0.25\n";

class VarianceThresholdSelector : public StageTest {};

// Spark 4.2.1's VarianceThresholdSelector selects b with this threshold, which c just reaches.
TEST_F(VarianceThresholdSelector, LeavesWhatVariesByMoreAsSpark) {
  const PipelineModel model = Fitted({Select(0.0625)}, Table(kThreeColumns));
  EXPECT_EQ(Text(model.Transform(Table(kThreeColumns)), {"a", "b", "c"}), "b__v: 6 8 7");
  EXPECT_EQ(Text(Fitted({Select(0)}, Table(kThreeColumns)).Transform(Table(kThreeColumns)),
                 {"a", "b", "c"}),
            "b__v: 6 8 7; c__v: 0 0.5 0.25");
}

TEST_F(VarianceThresholdSelector, FeedsLaterStages) {
  const PipelineModel model =
      Fitted({Select(0.5), {"max_abs_scaler", {{"id", "m"}, {"inputs", {{{"stage", "v"}}}}}}},
             Table(kThreeColumns));
  EXPECT_EQ(Text(model.Transform(Table(kThreeColumns)), {"a", "b", "c", "b__v"}),
            "b__v__m: 0.75 1 0.875");
}

TEST_F(VarianceThresholdSelector, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Select(0.5)}, kThreeColumns, "a,b,c\n1,2,-\n"),
            "a: 1; b: 2; c: null; b__v: 2");
}

TEST_F(VarianceThresholdSelector, LeavesOutAColumnWithoutValues) {
  const std::string table = "a,b,c\nNaN,6,NaN\nNaN,8,-\n";
  EXPECT_EQ(Text(Fitted({Select(0)}, Table(table)).Transform(Table(table)), {"a", "b", "c"}),
            "b__v: 6 8");
}

TEST_F(VarianceThresholdSelector, RefusesToLeaveNothing) {
  EXPECT_THAT(FaultOfFitting({Select(9)}, kThreeColumns).what,
              HasSubstr("leaves no column: none varies by more than 9"));
}

}  // namespace
}  // namespace protium
