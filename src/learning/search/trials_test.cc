// SPDX-License-Identifier: Apache-2.0
#include "search/trials.h"

#include <gtest/gtest.h>

#include <limits>

namespace protium {
namespace {

Trial Done(int64_t number, std::vector<double> folds) {
  Trial trial{.number = number, .values = {{"net.hidden", {64, 8}}}, .folds = std::move(folds)};
  Summarise(trial);
  return trial;
}

TEST(Trials, SummariseTheirFolds) {
  const Trial three = Done(1, {1, 2, 6});
  EXPECT_EQ(*three.value, 3);
  EXPECT_DOUBLE_EQ(*three.deviation, 2.6457513110645907);  // sqrt(7)
  EXPECT_EQ(*Done(1, {0.1}).value, 0.1);
  EXPECT_FALSE(Done(1, {0.1}).deviation.has_value());
}

TEST(Trials, AreComparedInTheDirectionOfTheMetric) {
  TrialTable low({.metrics = {{"rmse"}}}, {}),
      high({.metrics = {{"auc", {.higher_is_better = true}}}}, {});
  EXPECT_EQ(low.best(), nullptr);
  for (TrialTable* table : {&low, &high}) {
    table->Add(Done(3, {0.5}));
    table->Add(Done(1, {0.9}));
    table->Add(Done(2, {0.5}));
    table->Add({.number = 4, .state = TrialState::kFailed, .error = "broke"});
    table->Add({.number = 5, .state = TrialState::kPruned, .value = table == &low ? 0.1 : 0.99});
  }
  EXPECT_EQ(low.best()->number, 2) << "of equal ones the first";
  EXPECT_EQ(high.best()->number, 1);
  EXPECT_EQ(low.trials().front().number, 1) << "by number, whichever ended first";
}

TEST(Trials, ThatShouldBeLowAreComparedBySize) {
  TrialTable table({.metrics = {{"bias"}}}, {});
  table.Add(Done(1, {-9}));
  table.Add(Done(2, {0.5}));
  EXPECT_EQ(table.best()->number, 2);
}

TEST(Trials, AreWrittenForSpreadsheets) {
  TrialTable table({.metrics = {{"rmse"}}}, {"net.hidden"});
  table.Add(Done(1, {1, 3}));
  table.Add({.number = 2,
             .values = {{"net.hidden", {1}}},
             .state = TrialState::kFailed,
             .error = "a \"loss\", not finite"});
  EXPECT_EQ(table.ToCsv(),
            "trial,state,net.hidden,rmse,deviation,folds,best_epoch,pruned_at,seconds,error\n"
            "1,done,\"[64,8]\",2.0,1.4142135623730951,\"[1.0,3.0]\",0,,0.0,\n"
            "2,failed,[1],,,[],0,,0.0,\"a \"\"loss\"\", not finite\"\n");
  const Json json = table.ToJson();
  EXPECT_EQ(json["best"], 1);
  EXPECT_EQ(json["trials"][1]["error"], "a \"loss\", not finite");
}

}  // namespace
}  // namespace protium
