// SPDX-License-Identifier: Apache-2.0
// Searches that end before their last trial, go on with more of them, or compare by more than one
// metric, over real tables and worker processes, with the tasks of test_tasks.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "model/model_state.h"
#include "search/testing/search_fixture.h"

namespace protium {
namespace {

using testing::HasSubstr;

class BudgetTest : public SearchTest {
 protected:
  static Pipeline Of(int64_t epochs) {
    return Stages({.label_scale = Scale::kNone,
                   .train = {.epochs = epochs,
                             .validation = {.share = 0.2, .by = {"plane"}},
                             .metrics = {"rmse", "mae"}}});
  }
  Json Told() const { return StateOf(*session_).record().results()["search"]; }
};

// The gangs of rates from 0.5 on would train for ever.
TEST_F(BudgetTest, EndsWithTheFirstTrialThatReachesItsTarget) {
  SearchOptions options = Rates({0.4, 0.012, 0.6, 0.011, 0.7});
  options.target = 0.0025;
  for (const int32_t parallel : {1, 2, 4}) {
    const std::string run = "run" + std::to_string(parallel);
    Open(false, {}, run.c_str());
    options.parallel = parallel;
    const auto found = Search(Of(30), options).Run(Table());
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->best, 2);
    EXPECT_EQ(Told()["ended_by"], "target");
    EXPECT_EQ(Told()["of"], 5);
    EXPECT_EQ(Told()["trials"], 2);
    EXPECT_EQ(ReadTable(run.c_str()), ReadTable("run1")) << parallel;
  }
}

TEST_F(BudgetTest, EndsWhenNothingGetsBetter) {
  SearchOptions options = Rates({0.4, 0.012, 0.3, 0.02, 0.011, 0.6});
  options.patience = 2;
  options.parallel = 2;
  const auto found = Search(Of(30), options).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->trials.size(), 4u);
  EXPECT_EQ(Told()["ended_by"], "patience");
}

// What reached the target at one bound does not at the next.
TEST_F(BudgetTest, GoesOnWithAnotherTargetWhenResumed) {
  SearchOptions options = Rates({0.4, 0.012, 0.3, 0.011, 0.5});
  options.target = 0.0025;
  options.parallel = 2;
  ASSERT_TRUE(Search(Of(5), options).Run(Table()).ok());
  Open(true);
  options.target.reset();
  const auto found = Search(Of(5), options).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->trials.size(), 5u);
  EXPECT_EQ(found->best, 4);
  EXPECT_FALSE(Told().contains("ended_by"));
  Open(false, {}, "whole");
  ASSERT_TRUE(Search(Of(5), options).Run(Table()).ok());
  EXPECT_EQ(ReadTable(), ReadTable("whole"));
}

TEST_F(BudgetTest, StartsNoTrialWhenTheTimeIsOverButCarriesOnThoseThatHaveBegun) {
  SearchOptions options = Rates({0.4, 0.02, 0.3});
  options.seconds = 1e-9;
  const auto found = Search(Of(5), options).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->trials.size(), 1u) << "the first one always starts";
  EXPECT_EQ(Told()["ended_by"], "seconds");
  EXPECT_GT(ReadTable()["elapsed_seconds"].get<double>(), 0);
  // A trial that has begun is not lost.
  fs::create_directories(folder_ / "run/trials/002");
  Open(true);
  const auto two = Search(Of(5), options).Run(Table());
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_EQ(two->trials.size(), 2u);
  Open(true);
  options.seconds = 1e6;
  const auto all = Search(Of(5), options).Run(Table());
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->trials.size(), 3u);
  EXPECT_EQ(all->best, 2);
}

// The rows that a temperature is fitted to stay held out of the last fit, and the trials hold out
// others: what the stages learned for the first winner is not what they learn for the second.
TEST_F(BudgetTest, FitsAnotherWinnerAnewWhenMoreTrialsAreMade) {
  SearchOptions options{.method = SearchMethod::kRandom,
                        .trials = 2,
                        .seed = 3,
                        .space = {LogUniform(kRate, 1e-4, 1), OneOf("train.seed", {1, 2, 3, 4})}};
  TorchEstimatorOptions estimator{.label = "kind",
                                  .calibration = Calibration::kTemperature,
                                  .train = {.validation = {.share = 0.2, .by = {"plane"}}}};
  estimator.loss = BinaryCrossEntropy();
  const auto model_of = [&](int64_t trials) {
    options.trials = trials;
    const auto found = Search(Stages(estimator), options).Run(Table());
    EXPECT_TRUE(found.ok()) << found.status();
    return std::pair(found->best, *ReadFile(StateOf(found->model).trained.weights));
  };
  const auto first = model_of(2);
  const std::string stages = *ReadFile(folder_ / "run/stages.json");
  Open(true);
  const auto more = model_of(12);
  ASSERT_NE(more.first, first.first) << "the test needs another winner";
  const std::string stages_of_more = *ReadFile(folder_ / "run/stages.json");
  EXPECT_NE(stages_of_more, stages);
  Open(false, {}, "whole");
  EXPECT_EQ(model_of(12), more);
  EXPECT_EQ(*ReadFile(folder_ / "whole/stages.json"), stages_of_more);
  EXPECT_EQ(ReadTable(), ReadTable("whole"));
}

TEST_F(BudgetTest, GoesOnAfterATrialThatRunsOutOfMemory) {
  const auto found = Search(Of(5), Rates({0.77, 0.02, 0.4})).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->best, 2);
  EXPECT_EQ(found->trials[0].state, TrialState::kFailed);
  EXPECT_THAT(found->trials[0].error, HasSubstr("ran out of memory"));
}

TEST_F(BudgetTest, GoesOnAfterADiskThatFilledUpInTheFortiethTrial) {
  std::vector<Json> rates;
  for (int i = 1; i < 40; ++i) rates.push_back(0.01 + 0.01 * i);
  rates.push_back(0.78);
  SearchOptions options = Rates(rates);
  options.parallel = 2;
  fs::create_directories(folder_ / "run/trials");
  std::ofstream(folder_ / "run/trials/full") << "it is";
  const Fault fault = FaultOf(Search(Of(2), options).Run(Table()).status());
  EXPECT_EQ(fault.exit, Exit::kNoRoom);
  EXPECT_THAT(fault.fix, HasSubstr("search.parallel = 1"));
  const Json before = ReadTable()["trials"];
  ASSERT_GE(before.size(), 38u) << "another may have been running";
  fs::remove(folder_ / "run/trials/full");
  Open(true);
  const auto found = Search(Of(2), options).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->trials.size(), 40u);
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(ReadTable()["trials"][i], before[i]) << "it was not computed again";
  }
}

// The error is both metrics.
TEST_F(BudgetTest, ChoosesAmongTrialsThatKeepWhatIsRequired) {
  SearchOptions options = Rates({0.02, 0.5, 0.07, 7.0});
  options.require = {"mae >= 0.05"};
  const auto found = Search(Of(5), options).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->best, 3);
  EXPECT_THAT(found->trials[0].error, HasSubstr("mae is 0.01, and mae >= 0.05 is required"));
  EXPECT_NEAR(*found->trials[0].violation, 0.8, 1e-9);
  EXPECT_NEAR((*found->trials[2].measured)["mae"].get<double>(), 0.06, 1e-9);
}

TEST_F(BudgetTest, NamesTheNearestTrialIfNoneKeepsWhatIsRequired) {
  SearchOptions options = Rates({0.5, 0.02, 7.0});
  options.require = {"rmse < 0.005", "mae <= 0.1"};
  const Fault fault = FaultOf(Search(Of(5), options).Run(Table()).status());
  EXPECT_THAT(fault.what, HasSubstr("none of 3 trials keeps what is required; trial 2 comes "
                                    "nearest: rmse is 0.01, and rmse < 0.005 is required"));
  EXPECT_EQ(fault.where, "search.require");
  EXPECT_EQ(ReadTable()["best"], nullptr);
}

TEST_F(BudgetTest, LearnsByAFrontTheSameForAnyNumberOfGangs) {
  SearchOptions options{.method = SearchMethod::kTpe,
                        .trials = 16,
                        .lag = 3,
                        .metric = {"rmse", "mae"},
                        .require = {"mae < 0.3"},
                        .space = {LogUniform(kRate, 1e-4, 10)}};
  for (const int32_t parallel : {1, 4}) {
    const std::string run = "run" + std::to_string(parallel);
    Open(false, {}, run.c_str());
    options.parallel = parallel;
    const auto found = Search(Of(5), options).Run(Table());
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_THAT(found->front, testing::Contains(found->best));
    EXPECT_EQ(ReadTable(run.c_str()), ReadTable("run1"));
  }
  EXPECT_EQ(Dump(ReadTable("run1")["objectives"]), R"(["rmse","mae"])");
  EXPECT_EQ(Told()["front"][0]["trial"], Told()["best"]) << "both metrics are the same error here";
}

TEST_F(BudgetTest, TakesOverTrialsOfASearchThatRequiredSomethingElse) {
  SearchOptions options = Rates({0.02, 0.5});
  options.require = {"mae < 0.001"};
  ASSERT_FALSE(Search(Of(5), options).Run(Table()).ok());
  Open(false, {}, "next");
  options.from = folder_ / "run";
  options.require = {"mae < 0.1"};
  const auto found = Search(Of(5), options).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->best, 1);
  const Json old = ReadJsonAt("run/trials/001/result.json");
  EXPECT_EQ(ReadJsonAt("next/trials/001/result.json"), old) << "it was not computed again";
}

TEST_F(BudgetTest, RefusesWhatNoTrialMeasures) {
  SearchOptions options = Rates({0.02});
  const auto refused = [&] { return FaultOf(Search(Validated(), options).Run(Table()).status()); };
  options.require = {"auk < 3"};
  EXPECT_EQ(refused().where, "search.require.0");
  options.require = {"mape < 3"};
  EXPECT_EQ(refused().where, "search.require");
  EXPECT_THAT(refused().fix, HasSubstr("train.metrics"));
  options.require.clear();
  options.metric = {"rmse", "auk"};
  EXPECT_EQ(refused().where, "search.metric.1");
  options.metric = {"rmse", "latency_us"};
  options.prune = Prune::kAsha;
  EXPECT_EQ(refused().where, "search.prune");
}

}  // namespace
}  // namespace protium
