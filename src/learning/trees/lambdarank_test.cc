// SPDX-License-Identifier: Apache-2.0
#include "trees/lambdarank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/fault.h"
#include "collective/self.h"
#include "trees/testing/elastic_world.h"
#include "trees/testing/forest_world.h"

namespace protium {
namespace {

using testing::HasSubstr;

// Queries of 1 to 30 rows: the relevance depends on two numbers, and on one less clearly.
TreeTable MakeQueries(int64_t queries, uint32_t seed = 11) {
  TreeTable table{.columns = {{"a"}, {"b"}, {"c"}, {"k", 9}}};
  table.features.resize(4);
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (int64_t q = 0; q < queries; ++q) {
    const auto rows = int64_t(1 + random() % 30);
    const double level = 3 * normal(random);  // Says nothing about the order within a query.
    for (int64_t i = 0; i < rows; ++i) {
      const double a = normal(random), b = normal(random);
      const auto k = int32_t(random() % 9);
      table.features[0].push_back(float(a));
      table.features[1].push_back(random() % 7 == 0 ? kMissing : float(b));
      table.features[2].push_back(float(level + 0.1 * normal(random)));
      table.features[3].push_back(float(k));
      const double score = a + std::sin(3 * b) + (k == 4 ? 1 : 0) + 0.5 * normal(random);
      table.labels.push_back(float(std::clamp(std::floor(score + 1), 0.0, 4.0)));
      table.weights.push_back(1);
      table.groups.push_back(q);
    }
  }
  return table;
}

BoostSpec Ranked() {
  BoostSpec spec = SpecFor(Lambdarank());
  spec.trees = {.rounds = 12, .learning_rate = 0.3, .leaves = 15, .min_weight = 0};
  return spec;
}

// The definition of lambdarank.h, pair by pair.
std::vector<std::pair<double, double>> BruteForce(const std::vector<double>& labels,
                                                  const std::vector<double>& margins, size_t top) {
  const size_t n = labels.size();
  const auto gain = [&](size_t i) { return std::pow(2, labels[i]) - 1; };
  const auto discount = [](size_t place) { return 1 / std::log2(2 + double(place)); };
  const auto place = [&](const std::vector<double>& by, size_t i) {
    size_t before = 0;
    for (size_t j = 0; j < n; ++j) before += by[j] > by[i] || (by[j] == by[i] && j < i) ? 1 : 0;
    return before;
  };
  double best = 0, sum = 0;
  for (size_t i = 0; i < n; ++i) {
    if (place(labels, i) < top) best += gain(i) * discount(place(labels, i));
  }
  std::vector<std::pair<double, double>> out(n);
  if (best == 0) return out;
  const bool differ = *std::ranges::max_element(margins) != *std::ranges::min_element(margins);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      if (labels[i] <= labels[j]) continue;
      const size_t p = place(margins, i), q = place(margins, j);
      if (std::min(p, q) >= top) continue;
      const double apart = margins[i] - margins[j];
      double change = (gain(i) - gain(j)) * std::fabs(discount(p) - discount(q)) / best;
      if (differ) change /= 0.01 + std::fabs(apart);
      const double wrong = 1 / (1 + std::exp(apart));
      out[i].first -= wrong * change;
      out[j].first += wrong * change;
      out[i].second += wrong * (1 - wrong) * change;
      out[j].second += wrong * (1 - wrong) * change;
      sum += 2 * wrong * change;
    }
  }
  for (auto& [gradient, hessian] : out) {
    const double factor = 16 * (sum > 0 ? std::log2(1 + sum) / sum : 1);
    gradient *= factor;
    hessian *= factor;
  }
  return out;
}

struct Computed {
  std::vector<GradientPair> pairs;
  std::vector<double> losses;
};

Computed Compute(const TreeTargets& targets, const std::vector<uint64_t>& keys,
                 const std::vector<float>& margins, int64_t top) {
  const auto alone = MakeSelfCommunicator();
  const auto loss = MakeLambdarank({.top = top});
  EXPECT_TRUE(loss->Prepare({targets, keys}, *alone).ok());
  EXPECT_TRUE(loss->Follow(margins, targets, *alone).ok());
  Computed out{.pairs = std::vector<GradientPair>(margins.size())};
  loss->Gradients(0, margins, targets, out.pairs);
  for (size_t i = 0; i < margins.size(); ++i) out.losses.push_back(loss->LossOf(i, {}, {}));
  return out;
}

TEST(Lambdarank, IsItsDefinitionOverAllPairs) {
  std::mt19937 random(3);
  for (const int64_t top : {1, 3, 30}) {
    for (int round = 0; round < 40; ++round) {
      // Rows of the groups are mixed; keys fall, so that equal margins are in the reverse order.
      TreeTargets targets{.rows = int64_t(1 + random() % 40)};
      std::vector<uint64_t> keys;
      std::vector<float> margins;
      std::map<uint64_t, std::vector<size_t>> groups;
      for (size_t i = 0; i < size_t(targets.rows); ++i) {
        targets.labels.push_back(float(random() % 5));
        targets.weights.push_back(float(1 + random() % 2));
        targets.groups.push_back(random() % 3);
        keys.push_back(1000 - i);
        margins.push_back(round % 5 == 0 ? 0.5F : float(random() % 9) / 4 - 1);
        groups[targets.groups[i]].insert(groups[targets.groups[i]].begin(), i);
      }
      const Computed computed = Compute(targets, keys, margins, top);
      for (const auto& [group, rows] : groups) {
        std::vector<double> labels, scores;
        for (const size_t i : rows) {
          labels.push_back(targets.labels[i]);
          scores.push_back(margins[i]);
        }
        const auto expected = BruteForce(labels, scores, size_t(top));
        for (size_t i = 0; i < rows.size(); ++i) {
          const GradientPair& pair = computed.pairs[rows[i]];
          const double weight = targets.weights[rows[i]];
          EXPECT_NEAR(pair.gradient, weight * expected[i].first, 1e-5);
          EXPECT_NEAR(pair.hessian, weight * expected[i].second, 1e-5);
          EXPECT_GT(pair.hessian, 0);
        }
      }
    }
  }
}

TEST(Lambdarank, LossIsHowFarTheNdcgOfTheGroupIsFromOne) {
  const TreeTargets targets{
      .rows = 4, .labels = {0, 1, 0, 3}, .weights = {1, 1, 1, 1}, .groups = {7, 7, 9, 7}};
  const Computed computed = Compute(targets, {1, 2, 3, 4}, {3, 2, 1, 0}, 30);
  const double reached = 1 / std::log2(3) + 7 / std::log2(4), best = 7 + 1 / std::log2(3);
  for (const size_t i : {0, 1, 3}) EXPECT_NEAR(computed.losses[i], 1 - reached / best, 1e-6);
  EXPECT_EQ(computed.losses[2], 0);
  EXPECT_EQ(computed.pairs[2].gradient, 0);
}

TEST(Lambdarank, GivesOneForestForAnyRanksShardsAndOrder) {
  const TreeTable table = MakeQueries(150);
  BoostSpec spec = Ranked();
  spec.trees.rows = 0.7;
  spec.trees.columns = 0.7;
  ExpectOneForestForAnyRanks(spec, table, 0.02);
}

TEST(Lambdarank, LearnsTheOrder) {
  const TreeTable table = MakeQueries(400);
  BoostSpec spec = Ranked();
  spec.trees.rounds = 40;
  spec.trees.learning_rate = 0.1;
  const auto trained = ForestWorld{.spec = spec, .held_out = 0.1}.Train(table);
  ASSERT_TRUE(trained.status().ok()) << trained.status();
  const Json& history = trained.outcome.history;
  EXPECT_LT(history.back()["loss"].get<double>(), 0.6 * history[0]["loss"].get<double>());
  EXPECT_GT(trained.outcome.validation["ndcg@10"].get<double>(), 0.85);
  EXPECT_EQ(trained.forest.base, std::vector<float>{0});
}

TEST(Lambdarank, LearnsFromGroupsOfOneRowAndOfOneRelevanceNothing) {
  TreeTable table = MakeQueries(40);
  for (size_t i = 0; i < table.rows(); ++i) table.groups[i] = int64_t(i);
  const auto alone = ForestWorld{.spec = Ranked(), .world = 2}.Train(table);
  ASSERT_TRUE(alone.status().ok()) << alone.status();
  EXPECT_EQ(alone.outcome.history.back()["loss"], 0.0);
  table = MakeQueries(40);
  std::ranges::fill(table.labels, 2.0F);
  const auto equal = ForestWorld{.spec = Ranked(), .world = 3}.Train(table);
  ASSERT_TRUE(equal.status().ok()) << equal.status();
  for (const auto* each : {&alone, &equal}) {
    for (const Tree& tree : each->forest.trees) {
      for (const TreeNode& node : tree.nodes) EXPECT_EQ(node.value, 0);
    }
  }
}

TEST(Lambdarank, FewerGroupsThanRanksAndEqualRows) {
  TreeTable table = MakeQueries(1, 5);
  while (table.rows() < 20) table = MakeQueries(1, uint32_t(table.rows() + 99));
  // Each row twice: they have one key, and whichever comes first gives the same forest.
  for (size_t i = 0, rows = table.rows(); i < rows; ++i) {
    for (auto& column : table.features) column.push_back(column[i]);
    table.labels.push_back(table.labels[i]);
    table.weights.push_back(1);
    table.groups.push_back(table.groups[i]);
  }
  const auto one = ForestWorld{.spec = Ranked()}.Train(table);
  ASSERT_TRUE(one.status().ok()) << one.status();
  for (const int32_t world : {2, 3, 7}) {
    const auto other =
        ForestWorld{.spec = Ranked(), .world = world, .order = uint32_t(world)}.Train(table);
    ASSERT_TRUE(other.status().ok()) << other.status();
    EXPECT_EQ(other.outcome.weights_sha256, one.outcome.weights_sha256);
  }
}

TEST(Lambdarank, RefusesOtherLabelsOnAllRanks) {
  for (const auto& [label, text] : {std::pair{-1.0F, "-1"}, {40.0F, "40"}, {1.5F, "1.5"}}) {
    TreeTable table = MakeQueries(20);
    table.labels[7] = label;
    const auto trained = ForestWorld{.spec = Ranked(), .world = 3}.Train(table);
    for (const Status& each : trained.statuses) {
      EXPECT_THAT(each.ToString(), HasSubstr("whole numbers from 0 to 31"));
    }
    EXPECT_THAT(FaultOf(trained.status()).what, HasSubstr(std::string("label ") + text));
  }
}

TEST(Lambdarank, RefusesGroupsThatValidationCutsApart) {
  const TreeTargets learning{.rows = 2, .labels = {0, 1}, .weights = {1, 1}, .groups = {3, 3}};
  const TreeTargets held_out{.rows = 1, .labels = {0}, .weights = {1}, .groups = {3}};
  const std::vector<uint64_t> keys = {1, 2};
  const auto alone = MakeSelfCommunicator();
  const Fault fault = FaultOf(MakeLambdarank({})->Prepare({learning, keys, &held_out}, *alone));
  EXPECT_EQ(fault.where, "train.validation.by");
}

TEST(Lambdarank, OutlivesADeathAtAnyCall) {
  const TreeTable table = MakeQueries(15);
  BoostSpec spec = Ranked();
  spec.trees.rounds = 3;
  spec.trees.leaves = 4;
  spec.train.checkpoint.every_steps = 2;
  ElasticWorld world{.spec = spec};
  world.lives = {ElasticWorld::kForEver};
  const auto alone = world.Train(table);
  ASSERT_EQ(alone.results.size(), 1u);
  world.lives.assign(3, ElasticWorld::kForEver);
  const int calls = world.Train(table).calls;
  EXPECT_GT(calls, 20);
  for (int life = 0; life < calls; ++life) {
    SCOPED_TRACE(testing::Message() << "a rank dies at call " << life);
    world.lives.assign(3, ElasticWorld::kForEver);
    world.lives[size_t(life % 3)] = life;
    const auto outcome = world.Train(table);
    EXPECT_EQ(outcome.deaths, 1);
    ASSERT_THAT(outcome.failures, testing::IsEmpty());
    ASSERT_GE(outcome.results.size(), 1u);
    for (const BoostOutcome& each : outcome.results) {
      ASSERT_EQ(each.weights_sha256, alone.results[0].weights_sha256);
      ASSERT_EQ(each.history.size(), alone.results[0].history.size());
    }
  }
}

}  // namespace
}  // namespace protium
