// SPDX-License-Identifier: Apache-2.0
#include "search/pareto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "base/json.h"

namespace protium {
namespace {

using testing::ElementsAre;

std::vector<Losses> RandomPoints(std::mt19937& random, size_t count, size_t losses) {
  std::uniform_int_distribution<int> coordinate(0, 9);
  std::vector<Losses> points(count, Losses(losses));
  for (Losses& each : points) {
    for (double& loss : each) loss = coordinate(random);
  }
  return points;
}

// The number of unit cubes below the reference that a point dominates: an independent way to count.
double CountCubes(const std::vector<Losses>& points, size_t losses) {
  const auto all = size_t(std::pow(10, double(losses)));
  double volume = 0;
  for (size_t cube = 0; cube < all; ++cube) {
    const bool held = std::ranges::any_of(points, [&](const Losses& point) {
      size_t rest = cube;
      for (const double loss : point) {
        if (loss > double(rest % 10)) return false;
        rest /= 10;
      }
      return true;
    });
    volume += held ? 1 : 0;
  }
  return volume;
}

TEST(Pareto, HypervolumeIsTheVolumeOfWhatPointsDominate) {
  std::mt19937 random(3);
  for (const size_t losses : {2, 3, 4}) {
    const Losses reference(losses, 10);
    for (int round = 0; round < 20; ++round) {
      const auto points = RandomPoints(random, size_t(1 + round % 7), losses);
      EXPECT_EQ(Hypervolume(points, reference), CountCubes(points, losses)) << losses;
    }
  }
  EXPECT_EQ(Hypervolume({}, {1, 1}), 0);
}

TEST(Pareto, FrontHasThoseThatNobodyDominates) {
  const std::vector<Losses> points = {{1, 5}, {2, 2}, {3, 3}, {2, 2}, {5, 1}, {2, 5}};
  EXPECT_THAT(FrontOf(points), ElementsAre(0, 1, 3, 4));
  EXPECT_FALSE(Dominates({1, 2}, {1, 2}));
  EXPECT_TRUE(Dominates({1, 2}, {1, 3}));
}

TEST(Pareto, TakesWholeRanksFirst) {
  const std::vector<Losses> points = {{3, 3}, {1, 4}, {4, 1}, {5, 5}, {4, 4}};
  EXPECT_THAT(BestRanked(points, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(BestRanked(points, 4), ElementsAre(0, 1, 2, 4));
  EXPECT_EQ(BestRanked(points, 9).size(), 5u);
}

// The middle one dominates most; then the one that adds most to it, not its close neighbour.
TEST(Pareto, TakesOfARankThoseThatAddMostToTheHypervolume) {
  const std::vector<Losses> points = {{1, 9}, {4.9, 5.1}, {5, 5}, {9, 1}};
  EXPECT_THAT(BestRanked(points, 1), ElementsAre(2));
  EXPECT_THAT(BestRanked(points, 3), ElementsAre(0, 2, 3));
}

// Greedy choice as in its definition, every gain computed anew in every round.
std::vector<size_t> SlowlyTaken(const std::vector<Losses>& rank, size_t count,
                                const Losses& reference) {
  std::vector<size_t> taken;
  std::vector<Losses> chosen;
  while (taken.size() < count) {
    size_t best = 0;
    double greatest = -1;
    for (size_t i = 0; i < rank.size(); ++i) {
      if (std::ranges::find(taken, i) != taken.end()) continue;
      std::vector<Losses> with = chosen;
      with.push_back(rank[i]);
      const double gain = Hypervolume(with, reference) - Hypervolume(chosen, reference);
      if (gain <= greatest + 1e-9) continue;
      greatest = gain;
      best = i;
    }
    taken.push_back(best);
    chosen.push_back(rank[best]);
  }
  std::ranges::sort(taken);
  return taken;
}

TEST(Pareto, TakesTheSameWithoutComputingEveryGainAnew) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> share(0, 1);
  for (int round = 0; round < 10; ++round) {
    std::vector<Losses> rank;
    for (int i = 0; i < 30; ++i) {
      const double a = share(random), b = share(random) * (1 - a);
      rank.push_back({a, b, 1 - a - b});  // No point of this plane dominates another.
    }
    Losses reference = {0, 0, 0};
    for (const Losses& each : rank) {
      for (size_t k = 0; k < 3; ++k) reference[k] = std::max(reference[k], 1.1 * each[k]);
    }
    EXPECT_EQ(BestRanked(rank, 8), SlowlyTaken(rank, 8, reference)) << round;
  }
}

TEST(Pareto, TakesThoseThatOptunaTakes) {
  std::ifstream lines(PROTIUM_SEARCH_FIXTURES "/optuna_fronts.jsonl");
  int compared = 0;
  for (std::string line; std::getline(lines, line); ++compared) {
    const Json json = *ParseJson(line);
    const auto losses = json["losses"].get<std::vector<Losses>>();
    EXPECT_EQ(BestRanked(losses, json["take"].get<size_t>()),
              json["good"].get<std::vector<size_t>>())
        << line;
  }
  EXPECT_EQ(compared, 40);
}

TEST(Pareto, KneeIsNearestToTheBestOfEach) {
  EXPECT_EQ(KneeOf(std::vector<Losses>{{0, 1000}, {1, 200}, {5, 150}, {10, 0}}), 1u);
  EXPECT_EQ(KneeOf(std::vector<Losses>{{1, 2}}), 0u);
  EXPECT_EQ(KneeOf(std::vector<Losses>{{0, 1}, {1, 0}}), 0u) << "of equally near ones the first";
}

}  // namespace
}  // namespace protium
