// SPDX-License-Identifier: Apache-2.0
#include "trees/forest.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "base/fault.h"
#include "format/safetensors.h"
#include "trees/forest_file.h"
#include "trees/predict.h"
#include "trees/testing/forest_world.h"

namespace protium {
namespace {

// x0 <= 1.5 ? 10 : (x1 in {0, 33} ? 20 : 30); missing numbers go left, missing categories right.
Forest Example() {
  Forest forest{.columns = {{"x0"}, {"x1", 40}}, .base = {1}};
  Tree& tree = forest.trees.emplace_back();
  tree.nodes = {{.column = 0, .left = 1, .threshold = 1.5F, .missing_left = true, .cover = 6},
                {.value = 10, .cover = 2},
                {.column = 1, .left = 3, .set = 0, .cover = 4},
                {.value = 20, .cover = 1},
                {.value = 30, .cover = 3}};
  tree.sets = {1, 2};
  return forest;
}

TEST(Forest, FollowsNumbersCategoriesAndMissingValues) {
  const Forest forest = Example();
  EXPECT_EQ(PredictOne(forest, {1.5F, 5}), 11);
  EXPECT_EQ(PredictOne(forest, {std::nextafter(1.5F, 2.0F), 5}), 31);
  EXPECT_EQ(PredictOne(forest, {kMissing, 5}), 11);
  EXPECT_EQ(PredictOne(forest, {2, 0}), 21);
  EXPECT_EQ(PredictOne(forest, {2, 33}), 21);
  EXPECT_EQ(PredictOne(forest, {2, 34}), 31);
  EXPECT_EQ(PredictOne(forest, {2, kMissing}), 31);
  EXPECT_EQ(PredictOne(forest, {2, 40}), 31);
  EXPECT_EQ(PredictOne(forest, {2, -1}), 31);
}

// Random trees over numbers, of very different depths.
Forest Random(uint32_t seed, int64_t outputs) {
  std::mt19937 random(seed);
  Forest forest{.columns = {{"a"}, {"b"}, {"c"}}};
  for (int64_t o = 0; o < outputs; ++o) forest.base.push_back(float(o));
  for (int64_t t = 0; t < 7 * outputs; ++t) {
    Tree& tree = forest.trees.emplace_back();
    tree.nodes.emplace_back();
    for (size_t at = 0, most = random() % 60; at < tree.nodes.size(); ++at) {
      TreeNode& node = tree.nodes[at];
      node.value = float(random() % 1000) / 7;
      if (at >= most) continue;
      node.column = int32_t(random() % 3);
      node.left = int32_t(tree.nodes.size());
      node.threshold = float(random() % 100) / 9;
      node.missing_left = random() % 2 == 0;
      tree.nodes.resize(tree.nodes.size() + 2);
    }
  }
  return forest;
}

TEST(Forest, ManyRowsAtOnceGetTheSameBits) {
  for (const int64_t outputs : {1, 3}) {
    const Forest forest = Random(uint32_t(outputs), outputs);
    ASSERT_TRUE(CheckForest(forest).ok()) << CheckForest(forest);
    std::mt19937 random(5);
    constexpr int64_t kRows = 1001;
    std::vector<float> rows(3 * kRows), all(size_t(outputs * kRows)),
        one(static_cast<size_t>(outputs));
    for (float& x : rows) x = random() % 9 == 0 ? kMissing : float(random() % 100) / 9;
    BatchForest(forest).Predict(rows, kRows, all);
    for (size_t i = 0; i < size_t(kRows); ++i) {
      forest.Predict({&rows[3 * i], 3}, one);
      for (size_t o = 0; o < one.size(); ++o) ASSERT_EQ(all[i * one.size() + o], one[o]);
    }
  }
}

Result<Forest> ReadBack(std::string bytes, const std::vector<ForestColumn>& columns) {
  const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
  PT_LET(const Safetensors file, Safetensors::Parse({data, data + bytes.size()}, "x"));
  return ForestOf(file, columns, "x");
}

TEST(ForestFile, ComesBack) {
  for (const Forest& forest : {Example(), Random(1, 2)}) {
    const ForestTensors tensors(forest);
    const auto back = ReadBack(SafetensorsBytes(tensors.tensors()), forest.columns);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, forest);
  }
}

// A flipped bit may make another forest, which the hash of the model folder finds out; it must
// never make one that prediction cannot walk.
TEST(ForestFile, CutOrFlippedIsRefusedOrHarmless) {
  const Forest forest = Random(2, 2);
  const ForestTensors tensors(forest);
  const std::string bytes = SafetensorsBytes(tensors.tensors());
  for (size_t length = 0; length < bytes.size(); length += 97) {
    EXPECT_FALSE(ReadBack(bytes.substr(0, length), forest.columns).ok()) << length;
  }
  std::mt19937 random(3);
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string flipped = bytes;
    flipped[random() % bytes.size()] ^= char(1 << random() % 8);
    const auto back = ReadBack(flipped, forest.columns);
    refused += back.ok() ? 0 : 1;
    if (!back.ok()) continue;
    std::vector<float> row = {1, 2, 3}, out(back->base.size());
    back->Predict(row, out);
    BatchForest(*back).Predict(row, 1, out);
  }
  EXPECT_GT(refused, 400);
}

TEST(ForestFile, RefusesWhatCannotBeWalked) {
  const auto refused = [](const std::function<void(Forest&)>& change) {
    Forest forest = Example();
    change(forest);
    return !CheckForest(forest).ok();
  };
  EXPECT_TRUE(refused([](Forest& f) { f.trees[0].nodes[2].left = 0; }));
  EXPECT_TRUE(refused([](Forest& f) { f.trees[0].nodes[2].left = 1; }));
  EXPECT_TRUE(refused([](Forest& f) { f.trees[0].nodes[2].left = 4; }));
  EXPECT_TRUE(refused([](Forest& f) { f.trees[0].nodes[0].column = 2; }));
  EXPECT_TRUE(refused([](Forest& f) { f.trees[0].nodes[0].threshold = kMissing; }));
  EXPECT_TRUE(refused([](Forest& f) { f.trees[0].nodes[2].set = 1; }));
  EXPECT_TRUE(refused([](Forest& f) { f.trees[0].nodes[1].value = kMissing; }));
  EXPECT_TRUE(refused([](Forest& f) { f.base.clear(); }));
  EXPECT_TRUE(refused([](Forest& f) { f.base.push_back(0); }));
  EXPECT_TRUE(refused([](Forest& f) { f.trees[0].nodes.clear(); }));
  EXPECT_FALSE(refused([](Forest&) {}));
}

}  // namespace
}  // namespace protium
