// SPDX-License-Identifier: Apache-2.0
#include "search/first_trials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "protium/search.h"
#include "search/proposals.h"
#include "search/space.h"

namespace protium {
namespace {

using ::testing::HasSubstr;

const std::vector<Condition> kOfTrees = {
    {.path = "trees.leaves", .of = "kind", .among = {"tree_estimator"}}};

SearchOptions Options(SearchMethod method, std::vector<Json> first) {
  SearchOptions options{.method = method, .trials = 14, .seed = 3, .first = std::move(first)};
  options.space = {OneOf("kind", {"tree_estimator", "torch_estimator"}),
                   LogUniform("rate", 1e-4, 1), IntUniform("trees.leaves", 4, 64)};
  return options;
}

std::vector<Json> Proposed(const SearchOptions& options) {
  return Propose(options, kOfTrees, "search").ValueOrDie().first;
}

Fault Refused(const SearchOptions& options) {
  return FaultOf(Propose(options, kOfTrees, "search").status());
}

TEST(FirstTrials, HaveWhatTheyAreGivenAndWhatTheyWouldHaveDrawn) {
  for (const SearchMethod method : {SearchMethod::kRandom, SearchMethod::kTpe}) {
    const auto drawn = Proposed(Options(method, {}));
    const auto given = Proposed(Options(method, {{{"rate", 0.01}}, {{"kind", "torch_estimator"}}}));
    ASSERT_EQ(given.size(), drawn.size());
    EXPECT_EQ(given[0]["rate"], 0.01);
    EXPECT_EQ(given[0]["kind"], drawn[0]["kind"]);
    EXPECT_EQ(given[1]["kind"], "torch_estimator");
    EXPECT_EQ(given[1]["rate"], drawn[1]["rate"]);
    for (size_t i = 2; i < drawn.size(); ++i) EXPECT_EQ(given[i], drawn[i]) << i;
  }
}

TEST(FirstTrials, LeaveOutWhatTheirKindLacks) {
  const auto net = Proposed(Options(SearchMethod::kTpe, {{{"kind", "torch_estimator"}}}));
  EXPECT_FALSE(net[0].contains("trees.leaves"));
  const auto trees = Proposed(
      Options(SearchMethod::kTpe, {{{"kind", "tree_estimator"}, {"trees", {{"leaves", 7}}}}}));
  EXPECT_EQ(trees[0]["trees.leaves"], 7) << "tables below a path are paths";
}

// A search that learns knows the first ten before any result.
TEST(FirstTrials, MayBeMoreThanThoseThatAreDrawn) {
  std::vector<Json> many;
  for (int i = 0; i < 12; ++i) {
    many.push_back({{"kind", "tree_estimator"}, {"rate", (i + 1) / 100.0}, {"trees.leaves", 9}});
  }
  EXPECT_EQ(Proposed(Options(SearchMethod::kTpe, many)), many);
  SearchOptions few = Options(SearchMethod::kTpe, many);
  few.trials = 11;
  EXPECT_THAT(Refused(few).what, HasSubstr("12 trials are given, and the search begins with 11"));
}

TEST(FirstTrials, AreTriedOnce) {
  const Json same = {{"kind", "torch_estimator"}, {"rate", 0.01}};
  const auto proposed = Proposed(Options(SearchMethod::kTpe, {same, same}));
  EXPECT_EQ(proposed[0], same);
  EXPECT_NE(proposed[1], same);
}

TEST(FirstTrials, AreRefusedOutsideOfTheSpace) {
  const auto refused = [](const Json& values) {
    return Refused(Options(SearchMethod::kTpe, {values}));
  };
  EXPECT_THAT(refused({{"rat", 0.1}}).what, HasSubstr("\"rat\" is not in search.space"));
  EXPECT_THAT(refused({{"rat", 0.1}}).fix, HasSubstr("rate"));
  EXPECT_THAT(refused({{"rate", 2}}).what, HasSubstr("rate = 2 is not in search.space"));
  EXPECT_THAT(refused({{"rate", 2}}).fix, HasSubstr("from 0.0001 to 1"));
  EXPECT_EQ(refused({{"rate", 2}}).where, "search.first.0.rate");
  EXPECT_THAT(refused({{"kind", "forest"}}).fix, HasSubstr("torch_estimator"));
  EXPECT_THAT(refused({{"kind", "tree_estimator"}, {"trees.leaves", 7.5}}).fix,
              HasSubstr("whole number"));
  EXPECT_THAT(refused(Json(3)).what, HasSubstr("a table of values by path"));
}

TEST(FirstTrials, OfOneKindNameIt) {
  const auto refused = [](const Json& values) {
    return Refused(Options(SearchMethod::kRandom, {values})).what;
  };
  EXPECT_THAT(refused({{"trees.leaves", 7}}), HasSubstr("no kind is given"));
  EXPECT_THAT(refused({{"trees.leaves", 7}, {"kind", "torch_estimator"}}),
              HasSubstr("kind = \"torch_estimator\""));
}

TEST(FirstTrials, AreForMethodsThatDraw) {
  SearchOptions grid = Options(SearchMethod::kGrid, {{{"kind", "tree_estimator"}}});
  EXPECT_THAT(Refused(grid).why, HasSubstr("a grid tries every combination"));
  SearchOptions from = Options(SearchMethod::kTpe, {{{"rate", 0.1}}});
  from.from = "runs/earlier";
  EXPECT_THAT(Refused(from).why, HasSubstr("the best one of that run"));
}

TEST(FirstTrials, OfASearchThatIsAskedComeFirst) {
  SearchOptions options{.method = SearchMethod::kTpe, .trials = 3, .first = {{{"x", 0.25}}}};
  options.space = {Uniform("x", 0, 1)};
  auto search = AskedSearch::Make(options, false).ValueOrDie();
  EXPECT_EQ((*search.Ask().ValueOrDie()).values["x"], 0.25);
}

}  // namespace
}  // namespace protium
