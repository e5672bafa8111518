// SPDX-License-Identifier: Apache-2.0
#include "trees/boost.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/fault.h"
#include "protium/losses.h"
#include "trees/testing/forest_world.h"

namespace protium {
namespace {

// Numbers with missing values, a column of few values, categories, weights; the label depends on
// most of them.
TreeTable MakeTable(int64_t rows, const std::function<float(double score, std::mt19937&)>& label) {
  TreeTable table{.columns = {{"a"}, {"b"}, {"c"}, {"k", 40}}};
  table.features.resize(4);
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int64_t i = 0; i < rows; ++i) {
    const double a = normal(random), b = normal(random);
    const auto c = float(random() % 4);
    const auto k = int32_t(random() % 41) - 1;
    const bool gone = random() % 5 == 0;
    table.features[0].push_back(float(a));
    table.features[1].push_back(gone ? kMissing : float(b));
    table.features[2].push_back(c);
    table.features[3].push_back(float(k));
    const double score = a * (c > 1 ? 1 : -1) + (gone ? 1.5 : b) + (k % 7 == 3 ? 2 : 0);
    table.labels.push_back(label(score, random));
    table.weights.push_back(float(1 + random() % 3));
  }
  return table;
}

float Noisy(double score, std::mt19937& random) {
  return float(score + std::normal_distribution<double>(0, 0.3)(random));
}
float YesOrNo(double score, std::mt19937& random) {
  return std::uniform_real_distribution<double>()(random) < 1 / (1 + std::exp(-2 * score)) ? 1 : 0;
}
float Count(double score, std::mt19937& random) {
  return float(std::poisson_distribution<int>(std::exp(score / 2))(random));
}
float OfThree(double score, std::mt19937&) { return score < -0.7 ? 0 : score < 0.7 ? 1 : 2; }

TreeOptions Few() { return {.rounds = 12, .learning_rate = 0.3, .leaves = 15}; }

struct Case {
  const char* name;
  Choice loss;
  float (*label)(double, std::mt19937&);
  int64_t classes = 0;
};
std::vector<Case> Cases() {
  return {{"mse", MeanSquaredError(), Noisy},
          {"mae", MeanAbsoluteError(), Noisy},
          {"huber", Huber(), Noisy},
          {"quantile", Quantile(), Noisy},
          {"poisson", Poisson(), Count},
          {"binary_cross_entropy", BinaryCrossEntropy(), YesOrNo},
          {"cross_entropy", CrossEntropy(), OfThree, 3}};
}

std::vector<float> PredictAll(const Forest& forest, const TreeTable& table) {
  std::vector<float> out;
  std::vector<float> row(table.columns.size()), one(size_t(forest.outputs()));
  for (size_t i = 0; i < table.rows(); ++i) {
    for (size_t c = 0; c < row.size(); ++c) row[c] = table.features[c][i];
    forest.Predict(row, one);
    out.insert(out.end(), one.begin(), one.end());
  }
  return out;
}

class EachLoss : public testing::TestWithParam<Case> {};

TEST_P(EachLoss, GivesOneForestForAnyRanksShardsAndOrder) {
  const TreeTable table = MakeTable(3000, GetParam().label);
  BoostSpec spec = SpecFor(GetParam().loss, GetParam().classes);
  spec.trees = Few();
  spec.trees.rows = 0.7;
  spec.trees.columns = 0.7;
  ExpectOneForestForAnyRanks(spec, table, 0.2);
}

// Against the best constant.
TEST_P(EachLoss, Learns) {
  const TreeTable table = MakeTable(3000, GetParam().label);
  BoostSpec spec = SpecFor(GetParam().loss, GetParam().classes);
  spec.trees = Few();
  spec.trees.rounds = 40;
  const auto trained = ForestWorld{.spec = spec, .held_out = 0.2}.Train(table);
  ASSERT_TRUE(trained.status().ok()) << trained.status();
  const Json& history = trained.outcome.history;
  const double first = history[0]["loss"].get<double>();
  const double last = history.back()["loss"].get<double>();
  EXPECT_LT(last, GetParam().loss.name == "poisson" ? first - 0.1 : 0.75 * first);
  const double begun = history[0]["validation"][spec.train.best].get<double>();
  EXPECT_LT(trained.outcome.validation[spec.train.best].get<double>(), 0.85 * begun);
}

INSTANTIATE_TEST_SUITE_P(All, EachLoss, testing::ValuesIn(Cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Boost, HandsOutTheForestOfTheBestRound) {
  const TreeTable table = MakeTable(400, Noisy);
  BoostSpec spec = SpecFor(MeanSquaredError());
  spec.trees = {.rounds = 200, .learning_rate = 0.5, .leaves = 31};
  spec.train.early_stopping.patience = 5;
  const auto trained = ForestWorld{.spec = spec, .held_out = 0.3}.Train(table);
  ASSERT_TRUE(trained.status().ok()) << trained.status();
  EXPECT_EQ(trained.outcome.rounds, trained.outcome.best_round + 5);
  EXPECT_EQ(trained.forest.rounds(), trained.outcome.best_round);
  EXPECT_LT(trained.outcome.rounds, 200);
}

TEST(Boost, MeasuresWhatTheForestPredicts) {
  const TreeTable table = MakeTable(1000, Noisy);
  BoostSpec spec = SpecFor(MeanSquaredError());
  spec.trees = Few();
  const auto trained = ForestWorld{.spec = spec, .world = 2, .held_out = 0.2}.Train(table);
  ASSERT_TRUE(trained.status().ok()) << trained.status();
  const std::vector<float> predicted = PredictAll(trained.forest, table);
  double squares = 0, weights = 0;
  for (size_t i = 0; i < table.rows(); ++i) {
    if (i % 1000 >= 200) continue;
    squares += table.weights[i] * std::pow(double(predicted[i]) - table.labels[i], 2);
    weights += table.weights[i];
  }
  EXPECT_NEAR(trained.outcome.validation["rmse"].get<double>(), std::sqrt(squares / weights), 1e-9);
  EXPECT_EQ(trained.outcome.history.back()["validation"], trained.outcome.validation);
}

TEST(Boost, ContinuesFromACheckpointToTheSameForest) {
  const TreeTable table = MakeTable(1000, YesOrNo);
  BoostSpec spec = SpecFor(BinaryCrossEntropy());
  spec.trees = Few();
  const auto whole = ForestWorld{.spec = spec, .held_out = 0.2}.Train(table);
  spec.folder =
      std::filesystem::temp_directory_path() / ("forest-resumed-" + std::to_string(getpid()));
  std::stop_source stop;
  stop.request_stop();
  // Each attempt makes one round, and the gang has another size each time.
  for (int attempt = 0; attempt < 11; ++attempt) {
    const auto part = ForestWorld{.spec = spec,
                                  .world = 1 + attempt % 3,
                                  .order = uint32_t(attempt),
                                  .held_out = 0.2,
                                  .stop = stop.get_token()}
                          .Train(table);
    EXPECT_EQ(FaultOf(part.status()).exit, Exit::kStopped);
    EXPECT_EQ(FaultOf(part.status()).what,
              "stopped at round " + std::to_string(attempt + 1) + " of 12");
    spec.resume = true;
  }
  const auto rest = ForestWorld{.spec = spec, .world = 2, .held_out = 0.2}.Train(table);
  ASSERT_TRUE(rest.status().ok()) << rest.status();
  EXPECT_EQ(rest.outcome.weights_sha256, whole.outcome.weights_sha256);
  EXPECT_EQ(rest.outcome.history.size(), whole.outcome.history.size());
  // Other rows are refused.
  TreeTable changed = table;
  changed.labels[0] = 1 - changed.labels[0];
  const Fault fault = FaultOf(ForestWorld{.spec = spec, .held_out = 0.2}.Train(changed).status());
  EXPECT_NE(fault.what.find("input changed"), std::string::npos) << fault.what;
  std::filesystem::remove_all(spec.folder);
}

TEST(Boost, AddsTreesToAForest) {
  const TreeTable table = MakeTable(1000, Noisy);
  BoostSpec spec = SpecFor(MeanSquaredError());
  spec.trees = Few();
  const auto whole = ForestWorld{.spec = spec}.Train(table);
  spec.trees.rounds = 5;
  const auto start = ForestWorld{.spec = spec}.Train(table);
  spec.start = start.forest;
  spec.trees.rounds = 7;
  const auto more = ForestWorld{.spec = spec, .world = 2}.Train(table);
  ASSERT_TRUE(more.status().ok()) << more.status();
  ASSERT_EQ(more.forest.trees.size(), 12u);
  EXPECT_TRUE(
      std::equal(start.forest.trees.begin(), start.forest.trees.end(), more.forest.trees.begin()));
  EXPECT_EQ(whole.forest.trees[4], more.forest.trees[4]);
}

TEST(Boost, KeepsDirections) {
  const TreeTable table = MakeTable(2000, Noisy);
  BoostSpec spec = SpecFor(MeanSquaredError());
  spec.trees = Few();
  spec.trees.monotone = {{"a", Direction::kRising}, {"b", Direction::kFalling}};
  const auto trained = ForestWorld{.spec = spec}.Train(table);
  ASSERT_TRUE(trained.status().ok()) << trained.status();
  for (size_t i = 0; i < 200; ++i) {
    std::vector<float> row(4), out(1);
    for (size_t c = 0; c < 4; ++c) row[c] = table.features[c][i];
    for (const size_t column : {0, 1}) {
      std::vector<float> moved = row;
      float last = 0;
      for (float x = -3; x <= 3; x += 0.1F) {
        moved[column] = x;
        trained.forest.Predict(moved, out);
        if (x > -3) {
          EXPECT_TRUE(column == 0 ? out[0] >= last : out[0] <= last);
        }
        last = out[0];
      }
    }
  }
}

TEST(Boost, KeepsInteractions) {
  const TreeTable table = MakeTable(2000, Noisy);
  BoostSpec spec = SpecFor(MeanSquaredError());
  spec.trees = Few();
  spec.trees.interactions = {{"a", "c"}, {"b", "k"}};
  const auto trained = ForestWorld{.spec = spec}.Train(table);
  ASSERT_TRUE(trained.status().ok()) << trained.status();
  for (const Tree& tree : trained.forest.trees) {
    std::vector<int> group(tree.nodes.size(), -1);
    for (size_t i = 0; i < tree.nodes.size(); ++i) {
      const TreeNode& node = tree.nodes[i];
      if (node.leaf()) continue;
      const int own = node.column == 0 || node.column == 2 ? 0 : 1;
      EXPECT_TRUE(group[i] < 0 || group[i] == own);
      group[size_t(node.left)] = group[size_t(node.left) + 1] = own;
    }
  }
}

}  // namespace
}  // namespace protium
