// SPDX-License-Identifier: Apache-2.0
// Searches that begin with the trials of an earlier run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "search/testing/search_fixture.h"

namespace protium {
namespace {

using testing::HasSubstr;

class KnownTrialsTest : public SearchTest {
 protected:
  // Rates above 1 fail; the best is 0.01.
  static SearchOptions Learning(int64_t trials, const std::string& from = {}, int64_t seed = 0) {
    return {.method = SearchMethod::kTpe,
            .trials = trials,
            .seed = seed,
            .from = from,
            .space = {LogUniform(kRate, 1e-4, 10)}};
  }
  std::string Earlier() const { return folder_ / "run"; }
};

TEST_F(KnownTrialsTest, AreToldFirstAndTheBestOfThemIsTriedFirst) {
  const auto first = Search(Validated(), Learning(14)).Run(Table());
  ASSERT_TRUE(first.ok()) << first.status();
  Open(false, {}, "next");
  const auto next = Search(Validated(), Learning(8, Earlier(), 5)).Run(Table());
  ASSERT_TRUE(next.ok()) << next.status();
  ASSERT_EQ(next->trials.size(), 8u);
  const Trial& best = first->trials[size_t(first->best - 1)];
  EXPECT_EQ(next->trials[0].values, best.values);
  EXPECT_EQ(next->trials[0].value, best.value);
  for (size_t i = 1; i < 8; ++i) {
    for (const Trial& known : first->trials) EXPECT_NE(next->trials[i].values, known.values);
  }
  // It does not begin with random draws, most of which are far from the best.
  Open(false, {}, "fresh");
  const auto fresh = Search(Validated(), Learning(8, {}, 5)).Run(Table());
  const auto sum = [](const SearchResult& of) {
    double sum = 0;
    for (const Trial& each : of.trials) sum += each.value.value_or(1);
    return sum;
  };
  EXPECT_LT(sum(*next), sum(*fresh));
  Open(false, {}, "parallel");
  SearchOptions two = Learning(8, Earlier(), 5);
  two.parallel = 2;
  ASSERT_TRUE(Search(Validated(), two).Run(Table()).ok());
  EXPECT_EQ(ReadTable("parallel"), ReadTable("next"));
}

TEST_F(KnownTrialsTest, WithTheSameOptionsAreNotComputedAgain) {
  ASSERT_TRUE(Search(Validated(), Rates({0.1, 0.02, 7.0})).Run(Table()).ok());
  Open(false, {}, "next");
  SearchOptions more = Rates({0.02, 0.1, 0.011});
  more.from = Earlier();
  const auto next = Search(Validated(), more).Run(Table());
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(next->best, 3);
  EXPECT_EQ(*ReadFile(folder_ / "run/trials/001/result.json"),
            *ReadFile(folder_ / "next/trials/002/result.json"));
  EXPECT_THAT(Dump(EventsNamed("note")),
              HasSubstr("2 trials of run are known; those with the same"));
}

TEST_F(KnownTrialsTest, AreComputedAgainOnOtherRowsAndWithOtherStages) {
  ASSERT_TRUE(Search(Validated(), Rates({0.1, 0.02})).Run(Table()).ok());
  const auto measured_anew = [&](const char* run, const Pipeline& pipeline, const char* sql) {
    Open(false, {}, run);
    SearchOptions again = Rates({0.1, 0.02});
    again.from = Earlier();
    const auto found = Search(pipeline, again).Run(Table(sql));
    EXPECT_TRUE(found.ok()) << found.status();
    return *ReadFile(folder_ / "run/trials/001/result.json") !=
           *ReadFile(folder_ / run / "trials/001/result.json");
  };
  EXPECT_FALSE(measured_anew("same", Validated(), "SELECT * FROM t"));
  EXPECT_TRUE(measured_anew("fewer", Validated(), "SELECT * FROM t WHERE id < 150"));
  Pipeline longer = Stages({.label_scale = Scale::kNone,
                            .train = {.epochs = 6, .validation = {.share = 0.2, .by = {"plane"}}}});
  EXPECT_TRUE(measured_anew("longer", longer, "SELECT * FROM t"));
  std::ofstream(folder_ / "t.csv", std::ios::app) << "200,p1,1.5,usual,0.25\n";
  EXPECT_TRUE(measured_anew("grown", Validated(), "SELECT * FROM t"));
  EXPECT_THAT(Dump(EventsNamed("note")), HasSubstr("it read other files"));
}

TEST_F(KnownTrialsTest, CountForPruningAsTheyWere) {
  SearchOptions options = Rates({0.02, 0.4, 0.011});
  options.prune = Prune::kAsha;
  ASSERT_TRUE(Search(Validated(), options).Run(Table()).ok());
  Open(false, {}, "next");
  options.from = Earlier();
  ASSERT_TRUE(Search(Validated(), options).Run(Table()).ok());
  EXPECT_EQ(ReadTable("next"), ReadTable("run"));
}

TEST_F(KnownTrialsTest, AreRefusedWhereTheySayNothingAboutThisSearch) {
  ASSERT_TRUE(Search(Validated(), Rates({0.1, 0.02})).Run(Table()).ok());
  const auto refused = [&](SearchOptions options, const std::string& from) {
    options.from = from;
    Open(false, {}, "next");
    const Fault fault = FaultOf(Search(Validated(), options).Run(Table()).status());
    EXPECT_EQ(fault.exit, Exit::kUsage);
    EXPECT_EQ(fault.where, "search.from");
    return fault.what;
  };
  EXPECT_THAT(refused(Rates({0.1}), folder_ / "nowhere"), HasSubstr("no table of trials in"));
  EXPECT_THAT(refused(Rates({0.3}), Earlier()), HasSubstr("lies in the space"));
  SearchOptions other = Rates({0.1});
  other.space = {OneOf("train.epochs", {3})};
  EXPECT_THAT(refused(other, Earlier()), HasSubstr("lies in the space"));
}

TEST_F(KnownTrialsTest, ThatHaveChangedSinceAreRefusedWhenTheSearchIsResumed) {
  ASSERT_TRUE(Search(Validated(), Learning(5)).Run(Table()).ok());
  Open(false, {}, "next");
  ASSERT_TRUE(Search(Validated(), Learning(4, Earlier())).Run(Table()).ok());
  Open(true);
  ASSERT_TRUE(Search(Validated(), Learning(7)).Run(Table()).ok());
  Open(true, {}, "next");
  const Fault fault = FaultOf(Search(Validated(), Learning(4, Earlier())).Run(Table()).status());
  EXPECT_EQ(fault.where, "search.from");
}

}  // namespace
}  // namespace protium
