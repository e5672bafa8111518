// SPDX-License-Identifier: Apache-2.0
// Searches that stop trials, over real tables and worker processes, with the tasks of
// test_tasks.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "search/space.h"
#include "search/testing/search_fixture.h"

namespace protium {
namespace {

using testing::HasSubstr;

class PrunedSearchTest : public SearchTest {
 protected:
  static Pipeline Of(int64_t epochs) {
    return Stages({.label_scale = Scale::kNone,
                   .train = {.epochs = epochs, .validation = {.share = 0.2, .by = {"plane"}}}});
  }
  // Rates above 1 fail; the best is 0.01.
  static SearchOptions Pruned(Prune prune, int32_t parallel, int64_t trials = 18) {
    return {.method = SearchMethod::kTpe,
            .trials = trials,
            .lag = 3,
            .prune = prune,
            .grace = 2,
            .parallel = parallel,
            .space = {LogUniform(kRate, 1e-4, 10)}};
  }
  static int CountPruned(const Json& table) {
    int pruned = 0;
    for (const Json& each : table["trials"]) pruned += each["state"] == "pruned";
    return pruned;
  }
};

TEST_F(PrunedSearchTest, HasOneTableForAnyNumberOfGangs) {
  for (const Prune prune : {Prune::kAsha, Prune::kMedian, Prune::kHyperband}) {
    const std::string name = fields::Write(prune).get<std::string>();
    Open(false, {}, name.c_str());
    const auto found = Search(Of(20), Pruned(prune, 1)).Run(Table());
    ASSERT_TRUE(found.ok()) << found.status();
    const Json table = ReadTable(name.c_str());
    EXPECT_GT(CountPruned(table), 3) << name;
    for (const int32_t parallel : {2, 4}) {
      const std::string run = name + std::to_string(parallel);
      Open(false, {}, run.c_str());
      const auto again = Search(Of(20), Pruned(prune, parallel)).Run(Table());
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_EQ(ReadTable(run.c_str()), table) << run;
    }
  }
}

TEST_F(PrunedSearchTest, SaysWhichTrialsWerePrunedWhenAndWhy) {
  SearchOptions options = Rates({0.02, 0.4, 0.015, 0.3});
  options.prune = Prune::kAsha;
  options.grace = 4;
  const auto found = Search(Of(20), options).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->best, 3);
  const Trial& pruned = found->trials[1];
  EXPECT_EQ(pruned.state, TrialState::kPruned);
  EXPECT_EQ(pruned.pruned_at, 4);
  EXPECT_NEAR(*pruned.value, 0.39 + 0.1 / 16, 1e-9);
  EXPECT_EQ(pruned.error,
            "rmse 0.39625 at epoch 4, where 0.01625 was needed (asha, 1 trial before it)");
  EXPECT_EQ(StateOf(*session_).record().results()["search"]["pruned"], 2);
  EXPECT_EQ(EventsNamed("trial").size(), 4u);
  EXPECT_THAT(*ReadFile(folder_ / "run/trials.csv"), HasSubstr("2,pruned,0.4,"));
}

// These gangs would train for ever, and the last one dies while it leaves.
TEST_F(PrunedSearchTest, StopsGangsAndGivesTheirSeatsToTheNextTrials) {
  SearchOptions options = Rates({0.02, 0.6, 0.015, 0.7, 0.9, 0.011});
  options.prune = Prune::kAsha;
  options.grace = 3;
  options.parallel = 2;
  const auto found = Search(Of(30), options).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->best, 6);
  for (const size_t i : {1, 3, 4}) {
    EXPECT_EQ(found->trials[i].state, TrialState::kPruned) << found->trials[i].error;
    EXPECT_EQ(found->trials[i].pruned_at, 3);
  }
  const Json result = ReadJsonAt("run/trials/002/result.json");
  EXPECT_EQ(result["pruned"], true);
  EXPECT_EQ(result["curve"].size(), 3u);
  EXPECT_FALSE(fs::exists(folder_ / "run/trials/002/checkpoints"));
}

// As if a kill had left some trials without a result, and others cut off.
TEST_F(PrunedSearchTest, HasTheSameTableAfterKillsAndGoesOnWithMoreTrials) {
  ASSERT_TRUE(Search(Of(20), Pruned(Prune::kAsha, 2)).Run(Table()).ok());
  const Json whole = ReadTable();
  for (const int kept : {1, 7, 14}) {
    for (int i = kept; i < 18; ++i) {
      const fs::path trial =
          folder_ / "run/trials" / ((i < 9 ? "00" : "0") + std::to_string(i + 1));
      i % 2 == 0 ? fs::remove_all(trial) : fs::remove(trial / "result.json");
    }
    Open(true);
    const auto found = Search(Of(20), Pruned(Prune::kAsha, 4)).Run(Table());
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(ReadTable(), whole) << kept;
  }
  Open(true);
  const auto more = Search(Of(20), Pruned(Prune::kAsha, 2, 20)).Run(Table());
  ASSERT_TRUE(more.ok()) << more.status();
  EXPECT_EQ(more->trials.size(), 20u);
  const Json longer = ReadTable();
  for (size_t i = 0; i < 18; ++i) EXPECT_EQ(longer["trials"][i], whole["trials"][i]);
}

// The log of an interrupted fit lacks an epoch that its checkpoint has left behind.
TEST_F(PrunedSearchTest, FitsAnewWhatItsLogLacks) {
  SearchOptions options = Rates({0.02, 0.4, 0.015});
  options.prune = Prune::kAsha;
  ASSERT_TRUE(Search(Of(20), options).Run(Table()).ok());
  const Json whole = ReadTable();
  const fs::path trial = folder_ / "run/trials/003";
  fs::remove(trial / "result.json");
  std::ofstream(trial / "events.jsonl") << R"({"event":"validation","epoch":5,"rmse":0.001})"
                                        << "\n";
  Open(true);
  ASSERT_TRUE(Search(Of(20), options).Run(Table()).ok());
  EXPECT_EQ(ReadTable(), whole);
  EXPECT_EQ(ReadJsonAt("run/trials/003/result.json")["curve"].size(), 20u);
}

TEST_F(PrunedSearchTest, RefusesToGoOnWithOtherPruning) {
  ASSERT_TRUE(Search(Of(20), Pruned(Prune::kAsha, 2, 4)).Run(Table()).ok());
  Open(true);
  const Fault fault = FaultOf(Search(Of(20), Pruned(Prune::kMedian, 2, 4)).Run(Table()).status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.where, "search.prune");
  SearchOptions drawn = Pruned(Prune::kNone, 2, 4);
  drawn.method = SearchMethod::kRandom;
  Open(false, {}, "other");
  ASSERT_TRUE(Search(Of(20), drawn).Run(Table()).ok());
  drawn.prune = Prune::kAsha;
  Open(true, {}, "other");
  EXPECT_EQ(FaultOf(Search(Of(20), drawn).Run(Table()).status()).where, "search.prune");
}

TEST_F(PrunedSearchTest, PrunesFoldsInTheirOrder) {
  const FoldOptions folds{.k = 3, .by = {"plane"}};
  SearchOptions options = Pruned(Prune::kAsha, 1, 12);
  const auto one = Search(Of(20), options, folds).Run(Table());
  ASSERT_TRUE(one.ok()) << one.status();
  const Json table = ReadTable();
  EXPECT_GT(CountPruned(table), 2);
  EXPECT_THAT(Dump(table), HasSubstr("fold 1: rmse "));
  options.parallel = 4;
  Open(false, {}, "other");
  ASSERT_TRUE(Search(Of(20), options, folds).Run(Table()).ok());
  EXPECT_EQ(ReadTable("other"), table);
}

// Needs no rows within the folds: their own are what is compared.
TEST_F(PrunedSearchTest, StopsTrialsByTheFoldsOfTheBest) {
  const FoldOptions folds{.k = 6, .by = {"plane"}};
  SearchOptions options = Rates({0.1, 0.5, 0.15, 7.0, 0.05});
  options.prune = Prune::kWilcoxon;
  options.parallel = 1;
  const Pipeline pipeline = Stages({.label_scale = Scale::kNone});
  const auto one = Search(pipeline, options, folds).Run(Table());
  ASSERT_TRUE(one.ok()) << one.status();
  const Json table = ReadTable();
  EXPECT_EQ(one->best, 2);
  EXPECT_EQ(CountPruned(table), 2);
  EXPECT_EQ(one->trials[2].pruned_at, 4);
  EXPECT_THAT(one->trials[2].error, HasSubstr("over 4 folds, where the best trial before it has"));
  EXPECT_EQ(one->trials[3].state, TrialState::kFailed);
  EXPECT_FALSE(fs::exists(folder_ / "run/trials/003/fold-06"));
  options.parallel = 4;
  Open(false, {}, "other");
  ASSERT_TRUE(Search(pipeline, options, folds).Run(Table()).ok());
  EXPECT_EQ(ReadTable("other"), table);
}

TEST_F(PrunedSearchTest, FailsWithTheFirstErrorIfAllTrialsDo) {
  SearchOptions options = Rates({7.0, 3.0, 2.0});
  options.prune = Prune::kMedian;
  const auto found = Search(Of(20), options).Run(Table());
  EXPECT_THAT(FaultOf(found.status()).what, HasSubstr("all 3 trials failed"));
  EXPECT_EQ(ReadTable()["trials"].size(), 3u);
}

TEST_F(PrunedSearchTest, StopsNobodyWhereAllAreEqual) {
  SearchOptions options = Rates({0.02});
  options.space.push_back(OneOf("train.seed", {1, 2, 3, 4, 5, 6, 7}));
  options.prune = Prune::kMedian;
  const auto found = Search(Of(20), options).Run(Table());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(CountPruned(ReadTable()), 0);
  EXPECT_EQ(found->best, 1);
}

TEST_F(PrunedSearchTest, RefusesWhatCannotBeComparedOnTheWay) {
  const auto refused = [&](const Pipeline& pipeline, SearchOptions options,
                           std::optional<FoldOptions> folds = {}) {
    options.prune = Prune::kAsha;
    const Fault fault = FaultOf(Search(pipeline, options, folds).Run(Table()).status());
    EXPECT_EQ(fault.where, "search.prune");
    return fault.what;
  };
  EXPECT_THAT(
      refused(Stages({.label_scale = Scale::kNone}), Rates({0.1, 0.2}), FoldOptions{.k = 2}),
      HasSubstr("none are held out"));
  SearchOptions other = Rates({0.1, 0.2});
  other.metric = "mae";
  Pipeline pipeline = Stages({.label_scale = Scale::kNone,
                              .train = {.validation = {.share = 0.2, .by = {"plane"}},
                                        .metrics = {"rmse", "mae"},
                                        .best = "rmse"}});
  EXPECT_THAT(refused(pipeline, other), HasSubstr("pruned by train.best, which is rmse"));
  other.prune = Prune::kWilcoxon;
  const Fault few = FaultOf(Search(Of(20), other, FoldOptions{.k = 3}).Run(Table()).status());
  EXPECT_EQ(few.where, "search.prune");
  EXPECT_THAT(few.what, HasSubstr("fewer than 5"));
  SearchOptions kinds = Rates({0.1, 0.2});
  kinds.space.push_back(OneOf("kind", {"torch_estimator", "tree_estimator"}));
  EXPECT_THAT(refused(Of(20), kinds), HasSubstr("several kinds"));
}

// Ctrl-C is no pruning.
TEST_F(PrunedSearchTest, EndsWhenItIsStoppedAndGoesOnWhenItIsResumed) {
  SearchOptions options = Pruned(Prune::kAsha, 2);
  ASSERT_TRUE(Search(Of(20), options).Run(Table()).ok());
  const Json whole = ReadTable();
  session_.reset();
  std::stop_source stop;
  SessionOptions session{.engine = "local[2]", .folder = folder_ / "stopped", .base = folder_};
  session.call.stop = stop.get_token();
  session.call.events = [&](const Json& event) {
    if (event.value("event", "") == "trial" && event.value("trial", 0) >= 6) stop.request_stop();
  };
  session_ = *OpenSession(std::move(session));
  const auto cut = Search(Of(20), options).Run(Table());
  ASSERT_FALSE(cut.ok());
  EXPECT_EQ(FaultOf(cut.status()).exit, Exit::kStopped);
  EXPECT_LT(ReadTable("stopped")["trials"].size(), 18u);
  Open(true, {}, "stopped");
  ASSERT_TRUE(Search(Of(20), options).Run(Table()).ok());
  EXPECT_EQ(ReadTable("stopped"), whole);
}

}  // namespace
}  // namespace protium
