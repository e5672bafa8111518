// SPDX-License-Identifier: Apache-2.0
// Forests written and read back, thresholds beside every kind of float32, and files of strangers.
// tests/whole/foreign_forest_test.cc compares with XGBoost, LightGBM, Treelite and ONNX Runtime.
#include "trees/carried_forest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/fault.h"
#include "base/splitmix.h"
#include "base/text.h"
#include "trees/lightgbm_text.h"
#include "trees/thresholds.h"
#include "trees/xgboost_json.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr int64_t kCategories = 40;

TreeNode Leaf(float value) { return {.value = value, .cover = 2}; }
TreeNode Split(int32_t column, int32_t left, float threshold, bool missing_left) {
  return {.column = column,
          .left = left,
          .threshold = threshold,
          .missing_left = missing_left,
          .gain = 1.5F,
          .cover = 4};
}
TreeNode Choose(int32_t left, int32_t set, bool missing_left) {
  TreeNode node = Split(1, left, 0, missing_left);
  node.set = set;
  return node;
}

// Two columns, a number and a category; two trees an output.
Forest SomeForest(int64_t outputs = 1) {
  Forest forest{.columns = {{"x", 0}, {"shop", kCategories}}};
  for (int64_t o = 0; o < outputs; ++o) forest.base.push_back(0.25F * float(o + 1));
  for (int64_t o = 0; o < 2 * outputs; ++o) {
    const float tilt = 0.1F * float(o);
    forest.trees.push_back(
        {.nodes = {Split(0, 1, 0.1F + tilt, o % 2 == 0), Choose(3, 0, true), Choose(5, 2, false),
                   Leaf(tilt), Leaf(2), Leaf(-3.5F), Leaf(0.7F)},
         .sets = {0x80000005, 0x11, 0xf0, 0x80}});
  }
  return forest;
}

std::vector<std::array<float, 2>> Rows() {
  std::vector<std::array<float, 2>> rows;
  for (const float x :
       {-kInfinite, -1.F, -0.F, 0.F, 0.1F, std::nextafter(0.1F, 1.F), 0.2F, 7.F, kNan}) {
    for (float c = -1; c < float(kCategories) + 40; ++c) rows.push_back({x, c});
    rows.push_back({x, kNan});
  }
  return rows;
}

std::vector<float> Predicted(const Forest& forest) {
  std::vector<float> all;
  std::vector<float> out(forest.base.size());
  for (const auto& row : Rows()) {
    forest.Predict(row, out);
    all.insert(all.end(), out.begin(), out.end());
  }
  return all;
}

void ExpectSame(const Forest& was, const Forest& is) {
  ASSERT_EQ(was.outputs(), is.outputs());
  const std::vector<float> before = Predicted(was), after = Predicted(is);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-6) << i;
}

std::string WhatOf(const Status& status) { return status.ok() ? "" : FaultOf(status).what; }

TEST(CarriedForest, TravelsAsXgboostJson) {
  for (const auto kind : {TargetKind::kValues, TargetKind::kClasses, TargetKind::kFlags}) {
    const CarriedForest out{.forest = SomeForest(3), .task = {.kind = kind}};
    const WrittenForest written = ToXgboostJson(out).ValueOrDie();
    const ReadForest in = FromXgboostJson(written.bytes).ValueOrDie();
    EXPECT_EQ(in.carried.task.kind, kind);
    EXPECT_THAT(in.carried.forest.base, ElementsAre(0, 0, 0));
    EXPECT_EQ(in.carried.forest.columns[0], out.forest.columns[0]);
    ExpectSame(out.forest, in.carried.forest);
  }
}

TEST(CarriedForest, TravelsAsLightgbmText) {
  for (const auto kind : {TargetKind::kClasses, TargetKind::kFlags}) {
    const CarriedForest out{.forest = SomeForest(3), .task = {.kind = kind}};
    const WrittenForest written = ToLightgbmText(out).ValueOrDie();
    const ReadForest in = FromLightgbmText(written.bytes).ValueOrDie();
    EXPECT_EQ(in.carried.task.kind, kind);
    ExpectSame(out.forest, in.carried.forest);
  }
}

// A forest of numbers alone comes back node for node, but for the base, which is in its leaves.
TEST(CarriedForest, KeepsNodes) {
  Forest forest = SomeForest();
  forest.base = {0};
  for (Tree& tree : forest.trees) {
    tree.sets.clear();
    tree.nodes[1] = Split(0, 3, -1e-45F, false);
    tree.nodes[2] = Split(0, 5, 3e38F, true);
  }
  forest.columns[1].cardinality = 0;
  const CarriedForest out{.forest = forest};
  EXPECT_EQ(FromXgboostJson(ToXgboostJson(out)->bytes)->carried.forest, forest);
  EXPECT_EQ(FromLightgbmText(ToLightgbmText(out)->bytes)->carried.forest, forest);
}

TEST(CarriedForest, KeepsTasks) {
  const auto both = [](ForestTask task, int64_t outputs) {
    const CarriedForest out{.forest = SomeForest(outputs), .task = task};
    EXPECT_EQ(FromXgboostJson(ToXgboostJson(out)->bytes)->carried.task, task) << task.loss;
    if (outputs == 1 && task.kind != TargetKind::kQuantiles && task.variance_power == 1.5) {
      EXPECT_EQ(FromLightgbmText(ToLightgbmText(out)->bytes)->carried.task, task) << task.loss;
    }
  };
  both({.loss = "mse"}, 1);
  both({.loss = "mae"}, 1);
  both({.logarithmic = true, .loss = "poisson"}, 1);
  both({.logarithmic = true, .loss = "tweedie"}, 1);
  both({.logarithmic = true, .loss = "tweedie", .variance_power = 1.3}, 1);
  both({.kind = TargetKind::kTwoClasses, .loss = "binary_cross_entropy"}, 1);
  both({.kind = TargetKind::kFlags, .loss = "binary_cross_entropy"}, 2);
  both({.kind = TargetKind::kClasses, .loss = "cross_entropy"}, 3);
  both({.kind = TargetKind::kQuantiles, .loss = "quantile", .levels = {0.1, 0.5}}, 2);
}

TEST(CarriedForest, FoldsScalesAndBaseIntoLeaves) {
  const CarriedForest out{.forest = SomeForest(), .scales = {{.factor = 40, .shift = -7}}};
  Forest scaled = out.forest;
  scaled.base[0] = scaled.base[0] * 40 - 7;
  for (Tree& tree : scaled.trees) {
    for (TreeNode& node : tree.nodes) node.value *= 40;
  }
  const auto near = [&](const Forest& is) {
    const std::vector<float> before = Predicted(scaled), after = Predicted(is);
    for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-4);
  };
  near(FromXgboostJson(ToXgboostJson(out)->bytes)->carried.forest);
  near(FromLightgbmText(ToLightgbmText(out)->bytes)->carried.forest);
  CarriedForest large = out;
  large.scales[0].factor = 1e39;
  EXPECT_THAT(WhatOf(ToXgboostJson(large).status()), HasSubstr("in the label's units"));
}

TEST(CarriedForest, MayHaveNoTrees) {
  const CarriedForest out{.forest = {.columns = {{"x", 0}}, .base = {3}}};
  const std::array<float, 1> row = {1};
  std::array<float, 1> prediction = {};
  FromXgboostJson(ToXgboostJson(out)->bytes)->carried.forest.Predict(row, prediction);
  EXPECT_EQ(prediction[0], 3);
  FromLightgbmText(ToLightgbmText(out)->bytes)->carried.forest.Predict(row, prediction);
  EXPECT_EQ(prediction[0], 3);
}

std::vector<float> AllKindsOfFloats() {
  std::vector<float> floats = {0.F,
                               -0.F,
                               1.F,
                               -1.F,
                               1e-45F,
                               -1e-45F,
                               0.1F,
                               16777216.F,
                               std::numeric_limits<float>::min(),
                               std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::lowest()};
  uint64_t state = 7;
  while (floats.size() < 2000) {
    const auto each = std::bit_cast<float>(uint32_t(SplitMix(state += kSplitMixStep)));
    if (std::isfinite(each)) floats.push_back(each);
  }
  return floats;
}

TEST(Thresholds, BelowSaysAtMost) {
  for (const float t : AllKindsOfFloats()) {
    for (const float x : {t, std::nextafter(t, kInfinite), std::nextafter(t, -kInfinite)}) {
      if (std::isinf(x)) continue;
      EXPECT_EQ(x < ToBelow(t), x <= t) << t << " " << x;
      EXPECT_EQ(x <= FromBelow(t), x < t) << t << " " << x;
    }
  }
}

// For every double: what is asked of it equals what is asked of the float32 that it becomes.
TEST(Thresholds, DoubleDecidesAsItsFloatDoes) {
  const double infinite = std::numeric_limits<double>::infinity();
  std::vector<float> floats = AllKindsOfFloats();
  floats.insert(floats.end(), {kInfinite, -kInfinite});
  for (const float t : floats) {
    const double at = ToDouble(t);
    EXPECT_EQ(FromDouble(at), t);
    for (const double x : {at, std::nextafter(at, infinite), std::nextafter(at, -infinite),
                           double(t), double(std::nextafter(t, kInfinite))}) {
      const auto rounded = std::abs(x) < 0x1p128 ? float(x) : float(std::copysign(infinite, x));
      EXPECT_EQ(x <= at, rounded <= t) << t << " " << x;
    }
  }
}

TEST(Thresholds, FloatDecidesAsTheDoubleDoes) {
  for (const float each : AllKindsOfFloats()) {
    for (const double at : {double(each), each * 1.00000001, each * 0.99999999}) {
      const float t = FromDouble(at);
      for (const float x : {each, t, std::nextafter(t, kInfinite)}) EXPECT_EQ(x <= t, x <= at);
    }
  }
  EXPECT_EQ(FromDouble(1e300), std::numeric_limits<float>::max());
}

// NaN is 0 to LightGBM where training saw none.
TEST(LightgbmText, NanCountsAsZeroWithoutMissingValues) {
  std::string text = ToLightgbmText({.forest = SomeForest(1)})->bytes;
  const size_t at = text.find("decision_type=");
  text.replace(at, text.find('\n', at) - at, "decision_type=0 9 9");
  const auto tree = FromLightgbmText(text)->carried.forest.trees[0];
  EXPECT_TRUE(tree.nodes[0].missing_left);
}

TEST(LightgbmText, RefusesByName) {
  const std::string text = ToLightgbmText({.forest = SomeForest(1)})->bytes;
  const auto refusal = [&](const char* from, const char* to) {
    return WhatOf(FromLightgbmText(Replaced(text, from, to)).status());
  };
  EXPECT_THAT(refusal("is_linear=0", "is_linear=1"), HasSubstr("linear trees"));
  EXPECT_THAT(refusal("decision_type=10", "decision_type=6"), HasSubstr("zeros as missing"));
  EXPECT_THAT(refusal("objective=regression", "objective=regression sqrt"), HasSubstr("roots"));
  EXPECT_THAT(refusal("objective=regression", "objective=mine"), HasSubstr("\"mine\""));
  EXPECT_THAT(refusal("left_child=1", "left_child=0"), HasSubstr("two parents"));
  EXPECT_THAT(refusal("left_child=1", "left_child=-9"), HasSubstr("does not exist"));
  EXPECT_THAT(refusal("split_feature=0", "split_feature=2"), HasSubstr("a split on column 2"));
  EXPECT_THAT(refusal("split_feature=0", "split_feature=1"), HasSubstr("a number and a category"));
  EXPECT_THAT(refusal("cat_boundaries=0 2", "cat_boundaries=0 9"), HasSubstr("less than no"));
  EXPECT_THAT(refusal("num_leaves=4", "num_leaves=2000000000"), HasSubstr("leaves"));
  EXPECT_THAT(refusal("leaf_value=", "leaf_value=nan "), HasSubstr("nan"));
  EXPECT_THAT(refusal("end of trees", "Tree=2"), HasSubstr("has no number num_leaves"));
  EXPECT_THAT(WhatOf(FromLightgbmText("PK").status()), HasSubstr("the line \"tree\""));
}

TEST(LightgbmText, MakesTheMeanOfARandomForestASum) {
  const Forest forest = SomeForest(1);
  std::string text = ToLightgbmText({.forest = forest})->bytes;
  text.insert(5, "average_output\n");
  const Forest half = FromLightgbmText(text)->carried.forest;
  EXPECT_EQ(half.trees[1].nodes[5].value, forest.trees[1].nodes[5].value / 2);
}

TEST(LightgbmText, NeedsNamesWithoutBlanks) {
  Forest forest = SomeForest(1);
  forest.columns[0].name = "the x";
  EXPECT_THAT(ToLightgbmText({.forest = forest})->notes,
              ElementsAre("column \"the x\" is called the_x"));
  forest.columns[1].name = "the_x";
  EXPECT_THAT(WhatOf(ToLightgbmText({.forest = forest}).status()), HasSubstr("no name of its own"));
}

TEST(XgboostJson, RefusesByName) {
  const std::string text = ToXgboostJson({.forest = SomeForest(1)})->bytes;
  const auto refusal = [&](const char* from, const char* to) {
    return WhatOf(FromXgboostJson(Replaced(text, from, to)).status());
  };
  EXPECT_THAT(refusal("\"gbtree\"", "\"gblinear\""), HasSubstr("the booster \"gblinear\""));
  EXPECT_THAT(refusal("reg:squarederror", "survival:aft"), HasSubstr("\"survival:aft\""));
  EXPECT_THAT(refusal("\"size_leaf_vector\":\"1\"", "\"size_leaf_vector\":\"3\""),
              HasSubstr("a vector in each leaf"));
  EXPECT_THAT(refusal("left_children\":[1", "left_children\":[2"), HasSubstr("two parents"));
  EXPECT_THAT(refusal("left_children\":[1", "left_children\":[70"), HasSubstr("does not exist"));
  EXPECT_THAT(refusal("split_indices\":[0", "split_indices\":[2"), HasSubstr("split on column 2"));
  EXPECT_THAT(refusal("split_indices\":[0", "split_indices\":[1"),
              HasSubstr("a number and a category"));
  EXPECT_THAT(refusal("categories_segments\":[0", "categories_segments\":[90"),
              HasSubstr("outside the list"));
  EXPECT_THAT(refusal("categories\":[", "categories\":[2000000,"), HasSubstr("a category of"));
  EXPECT_THAT(refusal("default_left\":[", "default_left\":[1,"), HasSubstr("entries for 7 nodes"));
  EXPECT_THAT(refusal("tree_info\":[0", "tree_info\":[1"), HasSubstr("a tree of no output"));
  EXPECT_THAT(refusal("\"num_target\":\"1\"", "\"num_target\":\"99999999\""), HasSubstr("outputs"));
  EXPECT_THAT(refusal("\"num_feature\":\"2\",\"num_target", "\"num_feature\":\"3\",\"num_target"),
              HasSubstr("columns and names differ"));
  EXPECT_THAT(WhatOf(FromXgboostJson("[1]").status()), HasSubstr("no \"learner\""));
}

TEST(XgboostJson, WeighsTreesOfDart) {
  const Forest forest = SomeForest(1);
  std::string text = ToXgboostJson({.forest = forest})->bytes;
  text = Replaced(text, "\"gradient_booster\":{", "\"gradient_booster\":{\"gbtree\":{");
  text = Replaced(text, "\"name\":\"gbtree\"}",
                  "\"name\":\"gbtree\"},\"name\":\"dart\",\"weight_drop\":[1,0.5]}");
  const Forest half = FromXgboostJson(text)->carried.forest;
  EXPECT_EQ(half.trees[1].nodes[3].value, forest.trees[1].nodes[3].value / 2);
}

TEST(CarriedForest, KeepsNamesOfCategories) {
  std::string json = ToXgboostJson({.forest = SomeForest(1)})->bytes;
  const auto with = [&](const char* encoding) {
    return FromXgboostJson(Replaced(
        json, "\"model\":{", std::string("\"model\":{\"cats\":{\"enc\":[{},") + encoding + "]},"));
  };
  EXPECT_THAT(with(R"({"offsets":[0,1,3],"values":[97,98,99]})")->categories[1],
              ElementsAre("a", "bc"));
  EXPECT_THAT(with(R"({"type":15,"values":[3,-4]})")->categories[1], ElementsAre("3", "-4"));
  EXPECT_THAT(WhatOf(with(R"({"offsets":[0,9],"values":[97]})").status()), HasSubstr("outside"));
  std::string text = ToLightgbmText({.forest = SomeForest(1)})->bytes;
  text = Replaced(text, "pandas_categorical:null", "pandas_categorical:[[\"a\", \"bc\"]]");
  EXPECT_THAT(FromLightgbmText(text)->categories[1], ElementsAre("a", "bc"));
  text = Replaced(text, "[[\"a\", \"bc\"]]", "[[0.5]]");
  EXPECT_THAT(WhatOf(FromLightgbmText(text).status()), HasSubstr("no texts or numbers"));
}

// Cut files are refused, and flipped bits are refused or give a forest that CheckForest() takes.
TEST(CarriedForest, SurvivesDamage) {
  const CarriedForest out{.forest = SomeForest(2), .task = {.kind = TargetKind::kFlags}};
  const std::string json = ToXgboostJson(out)->bytes, text = ToLightgbmText(out)->bytes;
  for (size_t i = 0; i < json.size(); i += 7) EXPECT_FALSE(FromXgboostJson(json.substr(0, i)).ok());
  const size_t end = text.find("end of trees");
  for (size_t i = 0; i < end; i += 7) EXPECT_FALSE(FromLightgbmText(text.substr(0, i)).ok());
  for (size_t bit = 0; bit < 8 * json.size(); bit += 11) {
    std::string damaged = json;
    damaged[bit / 8] = char(damaged[bit / 8] ^ (1 << (bit % 8)));
    const auto read = FromXgboostJson(damaged);
    EXPECT_TRUE(!read.ok() || CheckForest(read->carried.forest).ok());
  }
  for (size_t bit = 0; bit < 8 * text.size(); bit += 11) {
    std::string damaged = text;
    damaged[bit / 8] = char(damaged[bit / 8] ^ (1 << (bit % 8)));
    const auto read = FromLightgbmText(damaged);
    EXPECT_TRUE(!read.ok() || CheckForest(read->carried.forest).ok());
  }
}

}  // namespace
}  // namespace protium
