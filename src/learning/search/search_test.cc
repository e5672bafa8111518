// SPDX-License-Identifier: Apache-2.0
// Searches over real tables, the embedded engine and worker processes, with the tasks of
// test_tasks.cc.
#include "protium/search.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <map>
#include <mutex>

#include "base/digest.h"
#include "base/fault.h"
#include "base/splitmix.h"
#include "frame/session_state.h"
#include "gang/task.h"
#include "metrics/metrics.h"
#include "model/model_state.h"
#include "os/file.h"
#include "pipeline/fit_task.h"
#include "protium/stage_options.h"
#include "search/testing/search_fixture.h"
#include "search/with_values.h"

namespace protium {
namespace {

using testing::HasSubstr;

TEST_F(SearchTest, FitsEveryTrialAndRefitsTheBestOnAllRows) {
  const auto found = Search(Validated(), Rates({0.1, 0.02, 0.5})).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->best, 2);
  EXPECT_EQ(found->metric, "rmse");
  ASSERT_EQ(found->trials.size(), 3u);
  EXPECT_DOUBLE_EQ(*found->trials[0].value, 0.1 - 0.01);
  EXPECT_EQ(Dump(found->trials[1].values), R"({"train.optimizer.learning_rate":0.02})");
  // All rows, as many epochs as the best one, the best rate.
  const TrainResult& trained = StateOf(found->model).trained;
  EXPECT_EQ(trained.rows, 200);
  EXPECT_EQ(trained.steps, 2);
  EXPECT_EQ(*ReadFile(trained.weights), "0.02");
  const Json told = StateOf(*session_).record().results()["search"];
  EXPECT_EQ(told["best"], 2);
  EXPECT_EQ(told["epochs"], 2);
  EXPECT_EQ(ReadTable()["best"], 2);
  EXPECT_EQ(EventsNamed("trial_start").size(), 3u);
  EXPECT_EQ(EventsNamed("trial").back()["best"], 2);
  EXPECT_TRUE(fs::exists(folder_ / "run/trials/002/events.jsonl"));
  EXPECT_FALSE(fs::exists(folder_ / "run/trials/002/checkpoints")) << "they would fill the disk";
  EXPECT_EQ(EventsNamed("etl_done").front()["rows"], 200) << "the table is made before the trials";
}

// The job's estimator is a net; `stages` and label are both kinds', everything else is its own.
TEST_F(SearchTest, RangesOverKindsOfEstimators) {
  const std::shared_ptr<const Catalogue> built_in;
  const Json values = {{"kind", "tree_estimator"}, {"trees.leaves", 7}, {"net.hidden", {8}}};
  const auto trees = WithValues(Validated(), values, built_in, "search.space");
  ASSERT_TRUE(trees.ok()) << trees.status();
  const Json options = StagesToJson(trees->stages()).back();
  EXPECT_EQ(options["kind"], "tree_estimator");
  EXPECT_EQ(options["trees"]["leaves"], 7);
  EXPECT_EQ(options["train"]["validation"]["share"], 0.2);
  EXPECT_EQ(options["label"], "delay");
  EXPECT_FALSE(options.contains("net"));
  const auto net = WithValues(Validated(), {{"kind", "torch_estimator"}, {"trees.leaves", 7}},
                              built_in, "search.space");
  ASSERT_TRUE(net.ok()) << net.status();
  EXPECT_EQ(StagesToJson(net->stages()).back()["train"]["epochs"], 5);
  const Fault wrong =
      FaultOf(WithValues(Validated(), {{"kind", "tree"}}, built_in, "space").status());
  EXPECT_EQ(wrong.where, "space.kind");
  EXPECT_THAT(wrong.fix, HasSubstr("tree_estimator"));
}

// The second trial reads what the first one's stages learned; another validation split, another
// stage or another fold learns again.
TEST_F(SearchTest, LearnsStagesOnceForTrialsThatShareThem) {
  SearchOptions options = Rates({0.1, 0.02});
  options.space.push_back(OneOf("train.seed", {1, 2}));
  options.parallel = 1;
  ASSERT_TRUE(Search(Validated(), options).Run(Table()).ok());
  const auto fits_of = [&](const char* trial) {
    const auto text = ReadFile(folder_ / "run/trials" / trial / "events.jsonl");
    return text.ok() && text->find("\"fit\"") != text->npos;
  };
  EXPECT_TRUE(fits_of("001"));
  EXPECT_TRUE(fits_of("002")) << "another seed holds out other rows";
  EXPECT_FALSE(fits_of("003"));
  EXPECT_FALSE(fits_of("004"));
  EXPECT_EQ(*ReadFile(folder_ / "run/trials/001/stages.json"),
            *ReadFile(folder_ / "run/trials/003/stages.json"));
}

TEST_F(SearchTest, GoesOnAfterATrialThatFails) {
  const auto found = Search(Validated(), Rates({7.0, 0.02, 3.0})).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->best, 2);
  EXPECT_EQ(found->trials[0].state, TrialState::kFailed);
  EXPECT_THAT(found->trials[0].error, HasSubstr("the loss is not finite"));
  EXPECT_EQ(StateOf(*session_).record().results()["search"]["failed"], 2);
}

TEST_F(SearchTest, FailsWithTheFirstErrorIfAllTrialsDo) {
  const auto found = Search(Validated(), Rates({7.0, 3.0})).Run(Table());
  ASSERT_FALSE(found.ok());
  const Fault fault = FaultOf(found.status());
  EXPECT_THAT(fault.what, HasSubstr("all 2 trials failed"));
  EXPECT_THAT(fault.what, HasSubstr("the loss is not finite"));
  EXPECT_EQ(fault.fix, "lower the rate");
  EXPECT_EQ(ReadTable()["trials"].size(), 2u);
}

TEST_F(SearchTest, IsTheSameForAnyNumberOfGangsAtATime) {
  const FoldOptions folds{.k = 3, .by = {"plane"}};
  SearchOptions options = Rates({0.1, 3.0, 0.02});
  options.parallel = 1;
  const auto one = Search(Stages({.label_scale = Scale::kNone}), options, folds).Run(Table());
  ASSERT_TRUE(one.ok()) << one.status();
  Open(false, {}, "other");
  options.parallel = 2;
  const auto two = Search(Stages({.label_scale = Scale::kNone}), options, folds).Run(Table());
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_EQ(ReadTable("run"), ReadTable("other"));
}

TEST_F(SearchTest, RunsNoFinishedTrialAgainWhenResumed) {
  const Search search(Validated(), Rates({0.1, 0.02, 7.0}));
  ASSERT_TRUE(search.Run(Table()).ok());
  const Json before = ReadTable();
  const auto size = [&](const char* trial) {
    return fs::file_size(folder_ / "run/trials" / trial / "events.jsonl");
  };
  const auto first = size("001"), third = size("003");
  // As after a kill between the last event and the result.
  fs::remove(folder_ / "run/trials/002/result.json");
  fs::remove(folder_ / "run/trials.json");
  const auto second = size("002");
  Open(true);
  const auto found = search.Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->best, 2);
  EXPECT_EQ(ReadTable(), before);
  EXPECT_EQ(size("001"), first);
  EXPECT_EQ(size("003"), third) << "a failure is a result, too";
  EXPECT_GT(size("002"), second);
}

TEST_F(SearchTest, DoesNotTakeOverTrialsOfAnotherSearch) {
  ASSERT_TRUE(Search(Validated(), Rates({0.1, 0.02})).Run(Table()).ok());
  Open(true);
  const auto found = Search(Validated(), Rates({0.02, 0.5})).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->best, 1);
}

TEST_F(SearchTest, LaysSettingsUnderTheValuesOfTrials) {
  Open(false, {{"train.optimizer.learning_rate", 0.3}, {"train.epochs", 1}});
  const auto found = Search(Validated(), Rates({0.1, 0.02})).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(*ReadFile(StateOf(found->model).trained.weights), "0.02");
  Open(false, {{"train.epoks", 1}}, "other");
  EXPECT_EQ(FaultOf(Search(Validated(), {}).Run(Table()).status()).exit, Exit::kUsage);
}

TEST_F(SearchTest, RefusesWhatAnyTrialWouldBeRefusedForBeforeItStarts) {
  const SearchOptions options{.method = SearchMethod::kGrid,
                              .space = {OneOf("pipeline.scale.inputs", {{"x"}, {"y"}})}};
  const auto found = Search(Validated(), options).Run(Table());
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(FaultOf(found.status()).what, HasSubstr("\"y\""));
  EXPECT_THAT(FaultOf(found.status()).why, HasSubstr("inputs [\"y\"]"));
  EXPECT_FALSE(fs::exists(folder_ / "run/trials"));
}

// The fold of a key by the formula of docs/rows.md, "Split".
int FoldOf(const std::string& key, int k, int64_t seed) {
  const uint64_t state = SplitMix(uint64_t(seed) + kSplitMixStep);
  const auto own = int64_t(SplitMix(state ^ 0x464f4c4453) >> 1);
  const std::string text = std::to_string(own) + "+" + std::to_string(key.size()) + ":" + key;
  const auto hash = std::stoll(Md5Hex(text).substr(0, 13), nullptr, 16);
  int fold = 0;
  while (fold < k - 1 && hash >= int64_t(double(fold + 1) / k * 0x1p52)) ++fold;
  return fold;
}

TEST_F(SearchTest, LearnsStagesOfAFoldFromItsOwnRowsAlone) {
  constexpr int kFolds = 3;
  const FoldOptions folds{.k = kFolds, .by = {"plane"}, .seed = 5};
  const auto trial = CrossValidate(Stages({.label_scale = Scale::kNone}), Table(), folds);
  ASSERT_TRUE(trial.ok()) << trial.status();
  ASSERT_EQ(trial->folds.size(), size_t(kFolds));
  for (int fold = 0; fold < kFolds; ++fold) {
    double sum = 0, squares = 0;
    int learning = 0, held_out = 0;
    for (int i = 0; i < 200; ++i) {
      if (FoldOf("p" + std::to_string(i % 40), kFolds, 5) == fold) {
        const double error = 0.25 * (i % 5) - 0.001;  // Predicts Adam's default rate.
        squares += error * error;
        ++held_out;
      } else {
        sum += i % 7 + 0.5;
        ++learning;
      }
    }
    ASSERT_GT(held_out, 0);
    EXPECT_NEAR(trial->folds[size_t(fold)], std::sqrt(squares / held_out), 1e-12);
    const Json stages =
        ReadJsonAt("run/trials/001/fold-0" + std::to_string(fold + 1) + "/stages.json");
    const std::string learned = Dump(stages["stages"][0]["learned"]);
    EXPECT_THAT(learned, HasSubstr(Dump(Json(sum / learning)).substr(0, 12))) << learned;
  }
  EXPECT_FALSE(fs::exists(folder_ / "run/checkpoints")) << "no model is fitted";
}

TEST_F(SearchTest, CutsAnewForEveryRepeat) {
  const FoldOptions folds{.k = 2, .by = {}, .repeats = 3};
  const auto trial = CrossValidate(Stages({.label_scale = Scale::kNone}), Table(), folds);
  ASSERT_TRUE(trial.ok()) << trial.status();
  ASSERT_EQ(trial->folds.size(), 6u);
  EXPECT_NE(trial->folds[0], trial->folds[2]);
  EXPECT_NE(trial->folds[2], trial->folds[4]);
  EXPECT_TRUE(trial->deviation.has_value());
}

TEST_F(SearchTest, RepeatsASplit) {
  const FoldOptions folds{.k = 4, .by = {"id"}, .repeats = 3, .held_out = 1};
  const auto splits = CrossValidate(Stages({.label_scale = Scale::kNone}), Table(), folds);
  ASSERT_TRUE(splits.ok()) << splits.status();
  EXPECT_EQ(splits->folds.size(), 3u);
  const auto refused = CrossValidate(Stages(), Table(), {.k = 4, .held_out = 5});
  EXPECT_EQ(FaultOf(refused.status()).where, "folds.held_out");
}

TEST_F(SearchTest, RefusesAFoldWithoutRows) {
  const FoldOptions folds{.k = 4, .by = {"constant"}};
  const DataFrame table = Table("SELECT *, 1 AS constant FROM t");
  const auto trial = CrossValidate(Stages(), table, folds);
  ASSERT_FALSE(trial.ok());
  const Fault fault = FaultOf(trial.status());
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_THAT(fault.what, HasSubstr("has no rows"));
  EXPECT_THAT(fault.what, HasSubstr("fold "));
  EXPECT_EQ(fault.where, "folds.k");
}

TEST_F(SearchTest, RefusesAFoldWithoutAClass) {
  TorchEstimatorOptions estimator{.label = "kind", .loss = {"binary_cross_entropy"}};
  // 4 rare rows in 5 folds: one has none.
  const auto two = CrossValidate(Stages(estimator), Table(), {.k = 5, .by = {"id"}});
  ASSERT_FALSE(two.ok());
  EXPECT_THAT(FaultOf(two.status()).what, HasSubstr("rows of class \"rare\" of kind"));
  // With many classes a fold may lack one, but must not hold all of its rows.
  estimator.loss = {"cross_entropy"};
  const DataFrame one = Table("SELECT *, CASE WHEN id = 7 THEN 'single' ELSE kind END AS k FROM t");
  estimator.label = "k";
  const auto many = CrossValidate(Stages(estimator), one, {.k = 3, .by = {"id"}});
  ASSERT_FALSE(many.ok());
  EXPECT_THAT(FaultOf(many.status()).what, HasSubstr("has all rows of class \"single\" of k"));
}

// Numeric labels that occur in one row each are not classes.
TEST_F(SearchTest, CutsTheRowsOfQuantilesIntoFolds) {
  TorchEstimatorOptions estimator;
  estimator.loss = Quantile({.levels = {0.1, 0.9}});
  estimator.label = "exact";
  const DataFrame rows = Table("SELECT *, CAST(id AS DOUBLE) AS exact FROM t");
  const auto trial = CrossValidate(Stages(estimator), rows, {.k = 3, .by = {"id"}});
  ASSERT_TRUE(trial.ok()) << trial.status();
  EXPECT_EQ(trial->folds.size(), 3u);
}

// Without validation rows the last fit would be refused, after all trials.
TEST_F(SearchTest, KeepsTheRowsThatACalibrationIsFittedTo) {
  TorchEstimatorOptions estimator{.label = "kind",
                                  .calibration = Calibration::kTemperature,
                                  .train = {.validation = {.share = 0.2, .by = {"plane"}}}};
  estimator.loss = BinaryCrossEntropy();
  const auto found = Search(Stages(estimator), Rates({0.1, 0.02})).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->best, 2);
  EXPECT_LT(StateOf(found->model).trained.rows, 200);
  EXPECT_THAT(Dump(EventsNamed("note").back()), HasSubstr("all rows but those"));
}

TEST_F(SearchTest, RefusesFoldsByAnUnknownColumn) {
  const auto trial = CrossValidate(Stages(), Table(), {.by = {"plan"}});
  ASSERT_FALSE(trial.ok());
  EXPECT_EQ(FaultOf(trial.status()).where, "folds.by.0");
  EXPECT_THAT(FaultOf(trial.status()).fix, HasSubstr("plane"));
}

TEST_F(SearchTest, EndsAtOnceWhenItIsStopped) {
  session_.reset();
  std::stop_source stop;
  SessionOptions options{.engine = "local[2]", .folder = folder_ / "run", .base = folder_};
  options.call.stop = stop.get_token();
  options.call.events = [&](const Json& event) {
    if (event.value("event", "") == "trial") stop.request_stop();
  };
  session_ = *OpenSession(std::move(options));
  SearchOptions rates = Rates({0.1, 0.02, 0.5, 0.6, 0.7});
  rates.parallel = 1;
  const auto found = Search(Validated(), rates).Run(Table());
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(FaultOf(found.status()).exit, Exit::kStopped);
  // Another trial may have ended before the stop was seen.
  const Json trials = ReadTable()["trials"];
  EXPECT_LT(trials.size(), 5u);
  for (const Json& trial : trials) {
    EXPECT_EQ(trial["state"], "done") << "a stop is not a trial's failure";
  }
}

}  // namespace
}  // namespace protium
