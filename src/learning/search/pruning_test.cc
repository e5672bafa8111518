// SPDX-License-Identifier: Apache-2.0
#include "search/pruning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <tuple>

namespace protium {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

PruneRule Asha() { return {.kind = Prune::kAsha, .grace = 1, .reduction = 3}; }

// A trial that reports `values` at the steps 1, 2, ... and ends.
void RunTrial(Pruning& pruning, size_t trial, const std::vector<double>& values,
              bool failed = false) {
  for (size_t i = 0; i < values.size(); ++i) pruning.Report(trial, 0, int64_t(i) + 1, values[i]);
  pruning.End(trial, 0, failed);
  pruning.Judge();
}

TEST(Pruning, LetsTheBestThirdGoOn) {
  Pruning pruning(Asha(), 1);
  for (size_t i = 0; i < 5; ++i) RunTrial(pruning, i, {10 - double(i), 1, 1, 1});
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(pruning.StoppedAt(i), nullptr) << "each is the best yet";
  RunTrial(pruning, 5, {6.5, 1});
  EXPECT_EQ(pruning.StoppedAt(5), nullptr) << "the second of six";
  RunTrial(pruning, 6, {8, 1});
  ASSERT_NE(pruning.StoppedAt(6), nullptr);
  EXPECT_EQ(pruning.StoppedAt(6)->step, 1);
  EXPECT_EQ(pruning.StoppedAt(6)->bar, 6.5);
  EXPECT_EQ(pruning.StoppedAt(6)->others, 6);
}

TEST(Pruning, LooksAtItsStepsOnlyAndAtTheBestUntilThen) {
  Pruning pruning(Asha(), 1);
  RunTrial(pruning, 0, {5, 5, 2, 2, 2, 2, 2, 2, 1});
  RunTrial(pruning, 1, {5, 9, 9, 2, 2, 2, 2, 2, 0});
  ASSERT_NE(pruning.StoppedAt(1), nullptr);
  EXPECT_EQ(pruning.StoppedAt(1)->step, 3);
  EXPECT_EQ(pruning.StoppedAt(1)->value, 5);
  RunTrial(pruning, 2, {4, 1, 7});
  EXPECT_EQ(pruning.StoppedAt(2), nullptr);
  EXPECT_EQ(Reason(*pruning.StoppedAt(1), Asha(), "rmse", "epoch"),
            "rmse 5 at epoch 3, where 2 was needed (asha, 1 trial before it)");
}

TEST(Pruning, StopsNobodyWhereAllAreEqualOrNothing) {
  for (const Prune kind : {Prune::kAsha, Prune::kMedian, Prune::kHyperband, Prune::kWilcoxon}) {
    for (const double value : {0.5, kNoValue}) {
      Pruning pruning({.kind = kind}, 1);
      for (size_t i = 0; i < 12; ++i) RunTrial(pruning, i, {value, value, value});
      for (size_t i = 0; i < 12; ++i) {
        EXPECT_EQ(pruning.StoppedAt(i), nullptr);
        EXPECT_TRUE(pruning.Decided(i));
      }
    }
  }
}

TEST(Pruning, ComparesWithTheMedianOfFiveOthers) {
  Pruning pruning({.kind = Prune::kMedian, .grace = 2, .order = {.higher_is_better = true}}, 1);
  for (size_t i = 0; i < 5; ++i) RunTrial(pruning, i, {0, double(i), 9});
  RunTrial(pruning, 5, {-5, 2});
  EXPECT_EQ(pruning.StoppedAt(5), nullptr) << "the median itself, and no look at the first step";
  RunTrial(pruning, 6, {3, 1.5, 9});
  EXPECT_EQ(pruning.StoppedAt(6), nullptr) << "its best was 3";
  RunTrial(pruning, 7, {0, 1, 99});
  ASSERT_NE(pruning.StoppedAt(7), nullptr);
  EXPECT_EQ(pruning.StoppedAt(7)->step, 2);
}

TEST(Pruning, DividesTrialsAmongBrackets) {
  EXPECT_EQ(CountBrackets(27, 1, 3), 4);
  EXPECT_EQ(CountBrackets(26, 1, 3), 3);
  EXPECT_EQ(CountBrackets(2, 3, 3), 1);
  const PruneRule rule{.kind = Prune::kHyperband, .grace = 1, .reduction = 3, .brackets = 3};
  Pruning pruning(rule, 1);
  // Ever worse, so each is stopped where it is first compared with one before it.
  std::map<int64_t, int> stopped;
  for (size_t i = 0; i < 600; ++i) RunTrial(pruning, i, std::vector<double>(9, double(i)));
  for (size_t i = 0; i < 600; ++i) {
    if (const PrunedAt* at = pruning.StoppedAt(i)) ++stopped[at->step];
  }
  // Shares of ceil(3 * 9 / 3), ceil(3 * 3 / 2) and 3: 9, 5 and 3 of 17.
  ASSERT_EQ(stopped.size(), 3u);
  EXPECT_NEAR(stopped[1], 600 * 9 / 17, 40);
  EXPECT_NEAR(stopped[3], 600 * 5 / 17, 40);
  EXPECT_NEAR(stopped[9], 600 * 3 / 17, 40);
}

TEST(Pruning, ComparesTrialsOfABracketOnlyWithEachOther) {
  const PruneRule rule{.kind = Prune::kHyperband, .grace = 1, .reduction = 3, .brackets = 2};
  Pruning pruning(rule, 1);
  for (size_t i = 0; i < 40; ++i) RunTrial(pruning, i, std::vector<double>(9, double(i)));
  std::set<int64_t> others;
  for (size_t i = 0; i < 40; ++i) {
    const PrunedAt* at = pruning.StoppedAt(i);
    if (at != nullptr) others.insert(at->others * 10 + at->step);
  }
  // Each bracket counts its own: 1, 2, ... others at step 1, and likewise at step 3.
  EXPECT_TRUE(others.contains(11) && others.contains(13)) << "the second of either bracket";
  EXPECT_FALSE(others.contains(391)) << "the last one has not all of them before it";
}

TEST(Pruning, StopsWhoseFoldsAreWorseThanThoseOfTheBest) {
  const PruneRule rule{.kind = Prune::kWilcoxon};
  Pruning pruning(rule, 1);
  const auto run = [&](size_t trial, const std::vector<double>& values) {
    pruning.Expect(trial, 6);
    RunTrial(pruning, trial, values);
  };
  run(0, {5, 6, 5, 6, 5, 6});
  run(1, {1, 2, 1, 2, 1, 2});
  run(2, {2, 1, 2, 3, 1.5, 2.1});
  EXPECT_EQ(pruning.StoppedAt(2), nullptr) << "worse, but not in all";
  run(3, {1.1, 2.2, 1.3, 2.4});
  ASSERT_NE(pruning.StoppedAt(3), nullptr);
  EXPECT_EQ(pruning.StoppedAt(3)->step, 4) << "fewer could be chance";
  EXPECT_EQ(pruning.StoppedAt(3)->p, 1.0 / 16);
  EXPECT_EQ(Reason(*pruning.StoppedAt(3), rule, "rmse", "fold"),
            "rmse 1.75 over 4 folds, where the best trial before it has 1.5 (wilcoxon, p = 0.062)");
  run(4, {0.5, 1.5, 0.5, 1.5, 9, 1.9});
  EXPECT_EQ(pruning.StoppedAt(4), nullptr);
}

// Its value could not be worse without having been compared already, and it is whole.
TEST(Pruning, DoesNotStopATrialAtItsLastStep) {
  for (const int64_t steps : {3, 4}) {
    Pruning pruning(Asha(), 1);
    RunTrial(pruning, 0, {1, 1, 1, 1});
    pruning.Expect(1, steps);
    RunTrial(pruning, 1, {1, 1, 1, 9});
    EXPECT_EQ(pruning.StoppedAt(1), nullptr);
    pruning.Expect(2, steps);
    RunTrial(pruning, 2, {0, 0, 0});
    pruning.Expect(3, steps);
    RunTrial(pruning, 3, {0, 5, 5});
    EXPECT_EQ(pruning.StoppedAt(3), nullptr);
    pruning.Expect(4, steps);
    RunTrial(pruning, 4, {5, 5, 5});
    EXPECT_NE(pruning.StoppedAt(4), nullptr);
  }
}

TEST(Pruning, WaitsForLowerTrialsAndThenStopsOneThatHasEnded) {
  Pruning pruning(Asha(), 1);
  RunTrial(pruning, 1, {5, 5, 5});
  EXPECT_FALSE(pruning.Decided(1));
  pruning.Report(0, 0, 1, 9);
  pruning.Judge();
  EXPECT_FALSE(pruning.Decided(1)) << "the third step of trial 0 is to come";
  pruning.Report(0, 0, 2, 9);
  pruning.Report(0, 0, 3, 1);
  pruning.Judge();
  EXPECT_TRUE(pruning.Decided(1));
  ASSERT_NE(pruning.StoppedAt(1), nullptr);
  EXPECT_EQ(pruning.StoppedAt(1)->step, 3);
  EXPECT_FALSE(pruning.Decided(0));
}

TEST(Pruning, ComparesFoldsWithTheSameFoldAndIgnoresThoseBehindAStop) {
  Pruning pruning(Asha(), 2);
  for (const double value : {1.0, 1.0}) {
    const size_t trial = value == 1.0 && !pruning.Decided(0) ? 0 : 1;
    for (const int32_t fold : {0, 1}) {
      pruning.Report(trial, fold, 1, trial == 0 ? 1 + fold * 8 : 2 - fold * 2);
      pruning.End(trial, fold, false);
    }
    pruning.Judge();
  }
  // Trial 1 is stopped in its first fold, so its second one is no bar for trial 2.
  ASSERT_NE(pruning.StoppedAt(1), nullptr);
  EXPECT_EQ(pruning.StoppedAt(1)->fit, 0);
  pruning.Report(2, 1, 1, 8);
  pruning.End(2, 1, false);
  pruning.Judge();
  EXPECT_FALSE(pruning.Decided(2)) << "its first fold is to come";
  pruning.Report(2, 0, 1, 1);
  pruning.End(2, 0, false);
  pruning.Judge();
  EXPECT_TRUE(pruning.Decided(2));
  EXPECT_EQ(pruning.StoppedAt(2), nullptr);
}

TEST(Pruning, OfATrialThatFailsCountsWhatItReached) {
  Pruning pruning(Asha(), 1);
  RunTrial(pruning, 0, {1}, true);
  EXPECT_TRUE(pruning.Decided(0));
  RunTrial(pruning, 1, {2, 2, 2});
  ASSERT_NE(pruning.StoppedAt(1), nullptr);
  RunTrial(pruning, 2, {1, 7, 7});
  EXPECT_EQ(pruning.StoppedAt(2), nullptr);
}

struct Report {
  size_t trial;
  int32_t fit;
  int64_t step;  // 0: its end.
  double value;
};

using Verdicts = std::vector<std::tuple<int32_t, int64_t, double, int64_t>>;

// Judges after every report, each of which comes in the order of its own fit only.
Verdicts Play(const PruneRule& rule, std::vector<std::vector<Report>> courses, std::mt19937& draws,
              bool in_turn) {
  Pruning pruning(rule, 2);
  const size_t trials = courses.size() / 2;
  while (true) {
    std::vector<size_t> left;
    for (size_t i = 0; i < courses.size(); ++i) {
      if (!courses[i].empty()) left.push_back(i);
    }
    if (left.empty()) break;
    auto& course = courses[in_turn ? left.front() : left[draws() % left.size()]];
    const Report next = course.front();
    course.erase(course.begin());
    if (next.step == 0) {
      pruning.End(next.trial, next.fit, next.value < 0);
    } else {
      pruning.Report(next.trial, next.fit, next.step, next.value);
    }
    pruning.Judge();
  }
  Verdicts verdicts;
  for (size_t i = 0; i < trials; ++i) {
    EXPECT_TRUE(pruning.Decided(i));
    const PrunedAt* at = pruning.StoppedAt(i);
    verdicts.emplace_back(at ? at->fit : -1, at ? at->step : 0, at ? at->bar : 0,
                          at ? at->others : 0);
  }
  return verdicts;
}

TEST(Pruning, IsTheSameInWhateverOrderReportsCome) {
  std::mt19937 draws(7);
  int stopped = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<std::vector<Report>> courses;
    for (size_t trial = 0; trial < 12; ++trial) {
      for (int32_t fit = 0; fit < 2; ++fit) {
        std::vector<Report>& course = courses.emplace_back();
        const auto steps = int64_t(draws() % 12);
        for (int64_t step = 1; step <= steps; ++step) {
          if (draws() % 4 > 0) course.push_back({trial, fit, step, double(draws() % 50)});
        }
        course.push_back({trial, fit, 0, draws() % 8 == 0 ? -1.0 : 1.0});
      }
    }
    for (const Prune kind : {Prune::kAsha, Prune::kMedian, Prune::kHyperband, Prune::kWilcoxon}) {
      const PruneRule rule{.kind = kind, .grace = 2, .reduction = 2, .brackets = 3};
      const Verdicts in_turn = Play(rule, courses, draws, true);
      for (const auto& each : in_turn) stopped += std::get<0>(each) >= 0;
      for (int again = 0; again < 3; ++again) {
        EXPECT_EQ(Play(rule, courses, draws, false), in_turn) << round;
      }
    }
  }
  EXPECT_GT(stopped, 300);
}

}  // namespace
}  // namespace protium
