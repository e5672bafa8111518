// SPDX-License-Identifier: Apache-2.0
// Searches that learn, over real tables and worker processes, with the tasks of test_tasks.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "search/conditions.h"
#include "search/space.h"
#include "search/testing/search_fixture.h"

namespace protium {
namespace {

using testing::HasSubstr;

class LearningTest : public SearchTest {};

// Rates above 1 fail; the best is 0.01.
SearchOptions Learning(int32_t parallel, int64_t trials = 18) {
  return {.method = SearchMethod::kTpe,
          .trials = trials,
          .lag = 3,
          .parallel = parallel,
          .space = {LogUniform(kRate, 1e-4, 10), IntUniform("train.epochs", 2, 9)}};
}

TEST_F(LearningTest, LearnsTheSameForAnyNumberOfGangsAtATime) {
  const auto found = Search(Validated(), Learning(1)).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->trials.size(), 18u);
  const Json table = ReadTable();
  for (const int32_t parallel : {2, 4}) {
    const std::string run = "run" + std::to_string(parallel);
    Open(false, {}, run.c_str());
    const auto again = Search(Validated(), Learning(parallel)).Run(Table());
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(ReadTable(run.c_str()), table) << parallel;
  }
  // It differs from a random search once it learns.
  const auto drawn = ProposeTrials({.trials = 18, .space = Learning(1).space}, "search");
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(found->trials[i].values, (*drawn)[i]);
  EXPECT_NE(found->trials[17].values, (*drawn)[17]);
}

// As if a kill had left some trials without a result, and others cut off.
TEST_F(LearningTest, LearnsTheSameAfterKillsAndGoesOnWithMoreTrials) {
  ASSERT_TRUE(Search(Validated(), Learning(2)).Run(Table()).ok());
  const Json whole = ReadTable();
  for (const int kept : {3, 11, 16}) {
    for (int i = kept; i < 18; ++i) {
      const fs::path trial =
          folder_ / "run/trials" / ((i < 9 ? "00" : "0") + std::to_string(i + 1));
      i % 2 == 0 ? fs::remove_all(trial) : fs::remove(trial / "result.json");
    }
    fs::remove(folder_ / "run/trials.json");
    Open(true);
    const auto found = Search(Validated(), Learning(4)).Run(Table());
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(ReadTable(), whole) << kept;
  }
  Open(true);
  const auto more = Search(Validated(), Learning(2, 21)).Run(Table());
  ASSERT_TRUE(more.ok()) << more.status();
  ASSERT_EQ(more->trials.size(), 21u);
  const Json longer = ReadTable();
  for (size_t i = 0; i < 18; ++i) EXPECT_EQ(longer["trials"][i], whole["trials"][i]);
}

TEST_F(LearningTest, RefusesToLearnFromTrialsOfAnotherSpace) {
  ASSERT_TRUE(Search(Validated(), Learning(2, 4)).Run(Table()).ok());
  SearchOptions other = Learning(2, 4);
  other.space[1] = IntUniform("train.epochs", 2, 8);
  Open(true);
  const Fault fault = FaultOf(Search(Validated(), other).Run(Table()).status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.where, "search.space.train.epochs");
  other = Learning(2, 4);
  other.seed = 5;
  Open(true);
  EXPECT_EQ(FaultOf(Search(Validated(), other).Run(Table()).status()).where, "search.seed");
}

TEST_F(LearningTest, LearnsWhereAllTrialsFail) {
  SearchOptions options = Learning(2, 14);
  options.space[0] = LogUniform(kRate, 2, 10);
  const Fault fault = FaultOf(Search(Validated(), options).Run(Table()).status());
  EXPECT_THAT(fault.what, HasSubstr("all 14 trials failed"));
  EXPECT_EQ(ReadTable()["trials"].size(), 14u);
}

TEST_F(LearningTest, LearnsOverFoldsAndWithALagAboveItsTrials) {
  const FoldOptions folds{.k = 2, .by = {"plane"}};
  SearchOptions options = Learning(4, 13);
  const auto one = Search(Stages({.label_scale = Scale::kNone}), options, folds).Run(Table());
  ASSERT_TRUE(one.ok()) << one.status();
  Open(false, {}, "other");
  options.parallel = 1;
  ASSERT_TRUE(Search(Stages({.label_scale = Scale::kNone}), options, folds).Run(Table()).ok());
  EXPECT_EQ(ReadTable("run"), ReadTable("other"));
  Open(false, {}, "lag");
  options = Learning(2, 12);
  options.lag = 50;
  const auto drawn = ProposeTrials({.trials = 12, .space = options.space}, "search");
  const auto found = Search(Validated(), options).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->trials[11].values, (*drawn)[11]);
}

TEST_F(LearningTest, RefusesCornersOfASpaceBeforeItLearns) {
  SearchOptions options = Learning(1);
  options.space[1] = IntUniform("train.epochs", 0, 9);
  const Fault fault = FaultOf(Search(Validated(), options).Run(Table()).status());
  EXPECT_EQ(fault.where, "search.space.train.epochs");
  EXPECT_FALSE(fs::exists(folder_ / "run/trials"));
}

// Of a trial only the options of its kind are options.
TEST_F(LearningTest, KnowsWhichOptionsAKindHas) {
  const Space space = {OneOf("kind", {"tree_estimator", "torch_estimator"}),
                       LogUniform(kRate, 1e-3, 1), IntUniform("trees.leaves", 3, 60),
                       OneOf("train.validation.share", {0.1, 0.2}),
                       OneOf("pipeline.scale.with", {1})};
  const auto conditions = ConditionsOf(space, nullptr);
  ASSERT_TRUE(conditions.ok()) << conditions.status();
  ASSERT_EQ(conditions->size(), 2u);
  EXPECT_EQ((*conditions)[0].path, kRate);
  EXPECT_EQ(Dump(Json((*conditions)[0].among)), R"(["torch_estimator"])");
  EXPECT_EQ((*conditions)[1].path, "trees.leaves");
  EXPECT_EQ(Dump(Json((*conditions)[1].among)), R"(["tree_estimator"])");
}

}  // namespace
}  // namespace protium
