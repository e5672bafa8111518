// SPDX-License-Identifier: Apache-2.0
// Tables that break trees elsewhere, and deaths at every moment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <random>

#include "base/fault.h"
#include "collective/testing/mortal_ranks.h"
#include "protium/losses.h"
#include "trees/testing/forest_world.h"

namespace protium {
namespace {

using testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Columns of numbers made row by row; the label is what `label` says.
TreeTable Numbers(int64_t rows, std::vector<std::function<float(int64_t)>> columns,
                  const std::function<float(int64_t)>& label) {
  TreeTable table;
  for (size_t c = 0; c < columns.size(); ++c) {
    table.columns.push_back({"x" + std::to_string(c)});
    std::vector<float>& values = table.features.emplace_back();
    for (int64_t i = 0; i < rows; ++i) values.push_back(columns[c](i));
  }
  for (int64_t i = 0; i < rows; ++i) table.labels.push_back(label(i));
  table.weights.assign(size_t(rows), 1);
  return table;
}

float Uniform(int64_t i) {
  return float(double((uint64_t(i) * 2654435761U) & 0xffffff) / 0x1000000);
}

BoostSpec Spec(Choice loss = MeanSquaredError()) {
  BoostSpec spec = SpecFor(std::move(loss));
  spec.trees = {.rounds = 10, .learning_rate = 0.5, .leaves = 15};
  return spec;
}

// One forest for one rank and for three, in another order.
Forest TrainBoth(const BoostSpec& spec, const TreeTable& table) {
  const auto one = ForestWorld{.spec = spec}.Train(table);
  EXPECT_TRUE(one.status().ok()) << one.status();
  const auto three = ForestWorld{.spec = spec, .world = 3, .order = 5}.Train(table);
  EXPECT_TRUE(three.status().ok()) << three.status();
  EXPECT_EQ(one.outcome.weights_sha256, three.outcome.weights_sha256);
  return one.forest;
}

TEST(HardCase, AlmostAllRowsHaveOneValue) {
  const auto table =
      Numbers(10'000, {[](int64_t i) { return i % 100 == 0 ? Uniform(i) : 0.5F; }},
              [](int64_t i) { return i % 100 == 0 && Uniform(i) > 0.75F ? 10.0F : 0.0F; });
  const Forest forest = TrainBoth(Spec(), table);
  EXPECT_NEAR(PredictOne(forest, {0.9F}), 10, 0.5);
  EXPECT_NEAR(PredictOne(forest, {0.5F}), 0, 0.1);
}

TEST(HardCase, ColumnsWithoutValues) {
  const auto table =
      Numbers(1000, {[](int64_t) { return kMissing; }, Uniform, [](int64_t) { return 3.0F; }},
              [](int64_t i) { return Uniform(i) > 0.5F ? 1.0F : 0.0F; });
  const Forest forest = TrainBoth(Spec(), table);
  for (const Tree& tree : forest.trees) {
    for (const TreeNode& node : tree.nodes) EXPECT_TRUE(node.leaf() || node.column == 1);
  }
  EXPECT_NEAR(PredictOne(forest, {kMissing, 0.9F, 3}), 1, 0.05);
  // What training never saw.
  EXPECT_TRUE(std::isfinite(PredictOne(forest, {7, kMissing, kMissing})));
}

TEST(HardCase, NothingToLearnFrom) {
  const auto table =
      Numbers(100, {[](int64_t) { return 3.0F; }}, [](int64_t i) { return float(i % 2); });
  const Forest forest = TrainBoth(Spec(), table);
  EXPECT_NEAR(PredictOne(forest, {3}), 0.5, 1e-6);
}

TEST(HardCase, InfinitiesAndBothZeros) {
  const auto table =
      Numbers(1000, {[](int64_t i) {
                const std::array<float, 5> values = {-kInfinity, -0.0F, 0.0F, 1, kInfinity};
                return values[size_t(i % 5)];
              }},
              [](int64_t i) {
                return std::array<float, 5>{5, 1, 1, 2, 9}[size_t(i % 5)];
              });
  const Forest forest = TrainBoth(Spec(), table);
  EXPECT_NEAR(PredictOne(forest, {-kInfinity}), 5, 0.1);
  EXPECT_NEAR(PredictOne(forest, {kInfinity}), 9, 0.1);
  EXPECT_EQ(PredictOne(forest, {-0.0F}), PredictOne(forest, {0.0F}));
  EXPECT_NEAR(PredictOne(forest, {0.0F}), 1, 0.1);
}

TEST(HardCase, WeightsOfVeryDifferentSizes) {
  TreeTable table =
      Numbers(3000, {Uniform}, [](int64_t i) { return Uniform(i) > 0.5F ? 1.0F : 0; });
  for (size_t i = 0; i < table.rows(); ++i) table.weights[i] = i % 2 == 0 ? 1e12F : 1e-12F;
  BoostSpec spec = Spec();
  const Forest forest = TrainBoth(spec, table);
  EXPECT_NEAR(PredictOne(forest, {0.9F}), 1, 0.05);
  table.weights.assign(table.rows(), 1e-12F);
  spec.trees.min_weight = 0;
  spec.trees.l2 = 0;
  EXPECT_NEAR(PredictOne(TrainBoth(spec, table), {0.9F}), 1, 0.05);
}

TEST(HardCase, OneLabelBeyondAllOthers) {
  const auto table = Numbers(2000, {Uniform}, [](int64_t i) {
    return i == 77 ? 1e30F : Uniform(i) > 0.5F ? 1.0F : 0.0F;
  });
  std::mutex mutex;
  std::vector<std::string> warnings;
  ForestWorld world{.spec = Spec(), .world = 2};
  world.report = [&](const Json& event) {
    const std::lock_guard lock(mutex);
    if (event["event"] == "warning") warnings.push_back(Dump(event));
  };
  const auto trained = world.Train(table);
  ASSERT_TRUE(trained.status().ok()) << trained.status();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("far beyond all others"));
}

TEST(HardCase, SeventyThousandCategories) {
  constexpr int64_t kMany = 70'000;
  TreeTable table{.columns = {{"k", kMany}}};
  std::vector<float>& codes = table.features.emplace_back();
  for (int64_t i = 0; i < 2 * kMany; ++i) {
    // The last ones occur once, the others more often.
    const int64_t code = i < kMany ? i : (i * 7919) % 60'000;
    codes.push_back(float(code));
    table.labels.push_back(code % 3 == 0 ? 1.0F : 0.0F);
  }
  table.weights.assign(table.rows(), 1);
  BoostSpec spec = Spec();
  spec.trees.smoothing = 0;
  const Forest forest = TrainBoth(spec, table);
  EXPECT_GT(PredictOne(forest, {300}), PredictOne(forest, {301}) + 0.5F);
  // A rare one, an unseen one and none at all are alike.
  EXPECT_EQ(PredictOne(forest, {69'999}), PredictOne(forest, {kMissing}));
  EXPECT_EQ(PredictOne(forest, {1e6F}), PredictOne(forest, {kMissing}));
}

TEST(HardCase, FewerRowsThanRanks) {
  const auto table = Numbers(3, {Uniform}, [](int64_t i) { return float(i); });
  BoostSpec spec = Spec();
  spec.trees.min_weight = 0;
  const auto one = ForestWorld{.spec = spec}.Train(table);
  const auto seven = ForestWorld{.spec = spec, .world = 7}.Train(table);
  ASSERT_TRUE(seven.status().ok()) << seven.status();
  EXPECT_EQ(one.outcome.weights_sha256, seven.outcome.weights_sha256);
}

TEST(HardCase, EqualColumnsAreTakenInTheirOrder) {
  const auto table =
      Numbers(1000, {Uniform, Uniform}, [](int64_t i) { return std::sin(7 * Uniform(i)); });
  for (const Tree& tree : TrainBoth(Spec(), table).trees) {
    for (const TreeNode& node : tree.nodes) EXPECT_NE(node.column, 1);
  }
}

TEST(HardCase, LabelsOfOneClass) {
  const auto table = Numbers(500, {Uniform}, [](int64_t) { return 1.0F; });
  EXPECT_GT(PredictOne(TrainBoth(Spec(BinaryCrossEntropy()), table), {0.5F}), 5);
}

TEST(HardCase, TenThousandColumns) {
  std::mt19937 random(4);
  std::vector<std::function<float(int64_t)>> columns(
      10'000, [&](int64_t) { return float(random() % 100'000); });
  TreeTable table = Numbers(60, columns, Uniform);
  for (size_t i = 0; i < 60; ++i) table.labels[i] = table.features[9000][i] > 50'000 ? 1 : 0;
  BoostSpec spec = Spec();
  spec.trees.rounds = 2;
  spec.trees.columns = 1;
  const Forest forest = TrainBoth(spec, table);
  EXPECT_EQ(forest.trees[0].nodes[0].column, 9000);
}

TEST(HardCase, BinsBeyondMemory) {
  const auto table = Numbers(20'000, {Uniform, [](int64_t i) { return Uniform(i * 31); }}, Uniform);
  const auto within = ForestWorld{.spec = Spec()}.Train(table);
  const auto beyond = ForestWorld{.spec = Spec(), .world = 2, .memory_bytes = 1000}.Train(table);
  ASSERT_TRUE(beyond.status().ok()) << beyond.status();
  EXPECT_EQ(within.outcome.weights_sha256, beyond.outcome.weights_sha256);
}

// Rank 1 dies at its call number `life`, whatever that is for: bins, sums of a node, the end of a
// round, a metric. The gang then fails in bounded time, and the next one goes on from the newest
// checkpoint to the same forest.
TEST(HardCase, ADeathAtAnyMoment) {
  const auto table =
      Numbers(600, {Uniform, [](int64_t i) { return Uniform(i * 31); }},
              [](int64_t i) { return Uniform(i) + (Uniform(i * 31) > 0.3F ? 1.0F : 0.0F); });
  BoostSpec spec = Spec();
  spec.trees.rounds = 3;
  spec.trees.leaves = 4;
  spec.train.checkpoint.every_steps = 1;
  const auto whole = ForestWorld{.spec = spec, .held_out = 0.2}.Train(table);
  ASSERT_TRUE(whole.status().ok()) << whole.status();
  int deaths = 0;
  for (int life = 0; life < 1000; ++life) {
    spec.folder = std::filesystem::temp_directory_path() /
                  ("forest-death-" + std::to_string(getpid()) + "-" + std::to_string(life));
    spec.resume = false;
    ForestWorld mortal{.spec = spec, .world = 2, .held_out = 0.2};
    mortal.wrap = [&](Communicator& ranks) -> std::unique_ptr<Communicator> {
      if (ranks.rank() != 1) return nullptr;
      return std::make_unique<MortalRanks>(ranks, life);
    };
    const auto died = mortal.Train(table);
    if (died.status().ok()) {
      std::filesystem::remove_all(spec.folder);
      break;
    }
    ++deaths;
    spec.resume = true;
    const auto rest =
        ForestWorld{.spec = spec, .world = 1 + life % 3, .held_out = 0.2}.Train(table);
    EXPECT_TRUE(rest.status().ok()) << rest.status();
    EXPECT_EQ(rest.outcome.weights_sha256, whole.outcome.weights_sha256) << life;
    std::filesystem::remove_all(spec.folder);
  }
  EXPECT_GT(deaths, 20);
}

}  // namespace
}  // namespace protium
