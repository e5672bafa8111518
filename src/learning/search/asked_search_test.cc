// SPDX-License-Identifier: Apache-2.0
// Searches whose objective is the caller's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <fstream>
#include <limits>
#include <optional>

#include "base/fault.h"
#include "os/temporary_folder.h"
#include "protium/search.h"

namespace protium {
namespace {

using testing::HasSubstr;

SearchOptions Bowl(SearchMethod method, int64_t trials, int64_t lag = 0) {
  return {.method = method,
          .trials = trials,
          .lag = lag,
          .space = {Uniform("x", -5, 5), Uniform("y", -5, 5)}};
}

double HeightAt(const Json& at) {
  const double x = at["x"].get<double>() - 1, y = at["y"].get<double>() + 2;
  return x * x + y * y - 100;
}

AskedSearch Made(const SearchOptions& options, bool higher = false) {
  auto made = AskedSearch::Make(options, higher);
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

// Keeps `open` trials open at the same time, tells the oldest first.
Json Minimised(const SearchOptions& options, size_t open = 1) {
  AskedSearch search = Made(options);
  std::deque<Trial> running;
  while (true) {
    const auto trial = search.Ask();
    EXPECT_TRUE(trial.ok()) << trial.status();
    if (*trial) running.push_back(**trial);
    if (running.empty()) return search.Table();
    if (*trial && running.size() < open) continue;
    EXPECT_TRUE(search.Tell(running.front().number, HeightAt(running.front().values)).ok());
    running.pop_front();
  }
}

double BestOf(const Json& table) {
  return table["trials"][table["best"].get<size_t>() - 1]["value"].get<double>();
}

TEST(AskedSearch, FindsTheLeastOfTheCallersOwnFunction) {
  const Json found = Minimised(Bowl(SearchMethod::kTpe, 60));
  EXPECT_EQ(found["trials"].size(), 60u);
  EXPECT_LT(BestOf(found), -99.7) << "the least is -100, whatever its size";
  EXPECT_LT(BestOf(found), BestOf(Minimised(Bowl(SearchMethod::kRandom, 60))));
}

TEST(AskedSearch, IsTheSameForAnyNumberOfOpenTrials) {
  const SearchOptions options = Bowl(SearchMethod::kTpe, 30, 3);
  const Json one = Minimised(options);
  EXPECT_EQ(Minimised(options, 2), one);
  EXPECT_EQ(Minimised(options, 4), one);
}

TEST(AskedSearch, RefusesToAskBeforeItWasToldWhatItLearnsFrom) {
  AskedSearch search = Made(Bowl(SearchMethod::kTpe, 30, 2));
  for (int i = 0; i < 12; ++i) {
    const auto trial = search.Ask();
    ASSERT_TRUE(trial.ok()) << trial.status();
    if (i >= 9) continue;
    ASSERT_TRUE(search.Tell((*trial)->number, HeightAt((*trial)->values)).ok());
  }
  const Fault fault = FaultOf(search.Ask().status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.what, "trial 13 learns from trial 10, which has not been told");
  EXPECT_THAT(fault.fix, HasSubstr("lag"));
}

TEST(AskedSearch, StopsTrialsByWhatTheyReport) {
  SearchOptions options = Bowl(SearchMethod::kRandom, 20);
  options.prune = Prune::kAsha;
  AskedSearch search = Made(options, true);
  int64_t stopped = 0;
  while (const auto trial = *search.Ask()) {
    const double value = -HeightAt(trial->values);
    bool prune = false;
    for (int64_t step = 1; step <= 10 && !prune; ++step) {
      ASSERT_TRUE(search.Report(trial->number, step, value * double(step)).ok());
      prune = *search.ShouldPrune(trial->number);
    }
    stopped += prune;
    ASSERT_TRUE(search.Tell(trial->number, prune ? std::nullopt : std::optional(value)).ok());
  }
  EXPECT_GT(stopped, 8);
  int64_t pruned = 0;
  const Json table = search.Table();
  for (const Json& each : table["trials"]) {
    pruned += each["state"] == "pruned";
    EXPECT_EQ(each["state"] == "pruned", each["pruned_at"] > 0);
  }
  EXPECT_EQ(pruned, stopped);
  EXPECT_EQ(table["trials"][table["best"].get<size_t>() - 1]["state"], "done");
}

TEST(AskedSearch, RecordsTrialsThatFail) {
  AskedSearch search = Made(Bowl(SearchMethod::kTpe, 14));
  while (const auto trial = *search.Ask()) {
    const auto value = trial->number % 2 == 0
                           ? std::nullopt
                           : std::optional(std::numeric_limits<double>::quiet_NaN());
    ASSERT_TRUE(search.Tell(trial->number, value, value ? "" : "it broke").ok());
  }
  const Json table = search.Table();
  ASSERT_EQ(table["trials"].size(), 14u);
  EXPECT_TRUE(table["best"].is_null());
  EXPECT_EQ(table["trials"][1]["error"], "it broke");
  EXPECT_EQ(table["trials"][2]["error"], "it was told without a value");
  EXPECT_EQ(table["trials"][2]["state"], "failed");
}

TEST(AskedSearch, RefusesWhatDoesNotFitTogether) {
  AskedSearch search = Made(Bowl(SearchMethod::kRandom, 3));
  EXPECT_EQ(FaultOf(search.Tell(1, 0.5)).what, "there is no trial 1");
  ASSERT_TRUE(search.Ask().ok());
  ASSERT_TRUE(search.Report(1, 2, 0.5).ok());
  EXPECT_EQ(FaultOf(search.Report(1, 2, 0.5)).what, "trial 1 reports step 2 after step 2");
  ASSERT_TRUE(search.Tell(1, 0.5).ok());
  EXPECT_EQ(FaultOf(search.Tell(1, 0.5)).what, "trial 1 has been told already");
  EXPECT_EQ(FaultOf(search.ShouldPrune(7).status()).what, "there is no trial 7");
  SearchOptions options = Bowl(SearchMethod::kGrid, 0);
  EXPECT_EQ(FaultOf(AskedSearch::Make(options, false).status()).where, "search.space.x");
  options.from = "runs/a";
  EXPECT_EQ(FaultOf(AskedSearch::Make(options, false).status()).where, "search.from");
  options.reduction = 1;
  EXPECT_EQ(FaultOf(AskedSearch::Make(options, false).status()).where, "search.reduction");
}

class SavedSearchTest : public testing::Test {
 protected:
  std::string file() const { return (folder_.path() / "trials.jsonl").string(); }

  AskedSearch Saved(const SearchOptions& options) const {
    AskedSearch search = Made(options);
    EXPECT_TRUE(search.SaveTo(file()).ok());
    return search;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

// Each program asks for three trials, tells two and is killed.
TEST_F(SavedSearchTest, GoesOnWhereAKilledProgramWas) {
  const SearchOptions options = Bowl(SearchMethod::kTpe, 40, 3);
  const Json whole = Minimised(options);
  std::optional<Trial> left;
  for (int64_t told = 0; told < 40;) {
    AskedSearch search = Saved(options);
    for (int i = 0; i < 3; ++i) {
      const auto asked = search.Ask();
      ASSERT_TRUE(asked.ok()) << asked.status();
      if (!*asked) break;
      if (i == 0 && left) {
        EXPECT_EQ((*asked)->number, left->number) << "it was never told";
      }
      left = **asked;
      if (i == 2) break;
      ASSERT_TRUE(search.Tell((*asked)->number, HeightAt((*asked)->values)).ok());
      ++told;
      left.reset();
    }
  }
  EXPECT_EQ(Saved(options).Table(), whole);
  EXPECT_FALSE((*Saved(options).Ask()).has_value());
}

TEST_F(SavedSearchTest, TakesReportsAgainAndPrunesAsBefore) {
  SearchOptions options = Bowl(SearchMethod::kRandom, 8);
  options.prune = Prune::kAsha;
  const auto run = [&](AskedSearch& search, int64_t until) {
    while (true) {
      const auto asked = *search.Ask();
      if (!asked) return true;
      for (int64_t step = 1; step <= 9; ++step) {
        EXPECT_TRUE(
            search.Report(asked->number, step, HeightAt(asked->values) / double(step)).ok());
        if (asked->number == until && step == 4) return false;
        if (*search.ShouldPrune(asked->number)) break;
      }
      const bool pruned = *search.ShouldPrune(asked->number);
      EXPECT_TRUE(
          search.Tell(asked->number, pruned ? std::nullopt : std::optional(HeightAt(asked->values)))
              .ok());
    }
  };
  AskedSearch plain = Made(options);
  EXPECT_TRUE(run(plain, 0));
  {
    AskedSearch killed = Saved(options);
    EXPECT_FALSE(run(killed, 1));
  }
  {
    AskedSearch goes_on = Saved(options);
    EXPECT_TRUE(run(goes_on, 0));
    EXPECT_EQ(goes_on.Table(), plain.Table());
  }
  EXPECT_EQ(Saved(options).Table(), plain.Table());
}

TEST_F(SavedSearchTest, MayHaveMoreTrialsAndKeepsFailuresAndInfinities) {
  {
    AskedSearch search = Saved(Bowl(SearchMethod::kRandom, 2));
    ASSERT_TRUE(search.Tell((*search.Ask())->number, std::nullopt, "it diverged").ok());
    ASSERT_TRUE(search.Tell((*search.Ask())->number, std::numeric_limits<double>::infinity()).ok());
    EXPECT_FALSE((*search.Ask()).has_value());
  }
  AskedSearch more = Saved(Bowl(SearchMethod::kRandom, 3));
  EXPECT_EQ(more.Table()["trials"][0]["error"], "it diverged");
  EXPECT_EQ(more.Table()["trials"][1]["value"], std::numeric_limits<double>::infinity());
  EXPECT_EQ((*more.Ask())->number, 3);
}

TEST_F(SavedSearchTest, IsReadableWhenItsLastLineWasCutOff) {
  {
    AskedSearch search = Saved(Bowl(SearchMethod::kRandom, 3));
    ASSERT_TRUE(search.Tell((*search.Ask())->number, 1).ok());
  }
  std::ofstream(file(), std::ios::app) << R"({"time": "2026-01-31T08:15:00.123Z", "ask": {"tri)";
  AskedSearch search = Saved(Bowl(SearchMethod::kRandom, 3));
  EXPECT_EQ((*search.Ask())->number, 2);
}

TEST_F(SavedSearchTest, RefusesWhatIsNotItsOwn) {
  const auto refusal = [&](const SearchOptions& options) {
    return FaultOf(Made(options).SaveTo(file()));
  };
  {
    const AskedSearch search = Saved(Bowl(SearchMethod::kTpe, 20));
    EXPECT_THAT(refusal(Bowl(SearchMethod::kTpe, 20)).what, HasSubstr("another program"));
  }
  SearchOptions other = Bowl(SearchMethod::kTpe, 20);
  other.seed = 1;
  other.space[1] = Uniform("y", -5, 6);
  EXPECT_THAT(refusal(other).what, HasSubstr(R"(["search.seed","search.space.y"])"));
  EXPECT_EQ(refusal(other).exit, Exit::kUsage);
  std::ofstream(file()) << "x,y\n1,2\n";
  EXPECT_THAT(refusal(other).what, HasSubstr("is not the file of a search"));
  AskedSearch begun = Made(other);
  ASSERT_TRUE(begun.Ask().ok());
  EXPECT_THAT(FaultOf(begun.SaveTo(file())).what, HasSubstr("has begun"));
}

}  // namespace
}  // namespace protium
