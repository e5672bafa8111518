// SPDX-License-Identifier: Apache-2.0
#include "trees/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace protium {
namespace {

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

// Forests over numbers 0 .. 1 and categories, with splits of any kind anywhere.
class RandomForest {
 public:
  RandomForest(uint64_t seed, std::vector<int64_t> cardinalities) : random_(seed) {
    for (const int64_t cardinality : cardinalities) {
      forest_.columns.push_back({std::string(1, char('a' + forest_.columns.size())), cardinality});
    }
  }

  Forest Make(size_t outputs, size_t trees, size_t leaves) {
    for (size_t o = 0; o < outputs; ++o) forest_.base.push_back(float(Uniform()));
    for (size_t t = 0; t < trees; ++t) forest_.trees.push_back(MakeTree(leaves));
    EXPECT_TRUE(CheckForest(forest_).ok());
    return forest_;
  }

  std::vector<float> Row() {
    std::vector<float> row;
    for (const ForestColumn& column : forest_.columns) {
      float x = float(Uniform());
      if (column.cardinality > 0) x = std::floor(x * float(column.cardinality + 1));
      row.push_back(Uniform() < 0.1 ? kNoValue : x);
    }
    return row;
  }

 private:
  double Uniform() { return std::uniform_real_distribution<double>()(random_); }
  size_t Below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random_); }

  Tree MakeTree(size_t leaves) {
    Tree tree{.nodes = {{.value = float(Uniform()), .cover = 100}}};
    while (size_t(tree.leaves()) < leaves) {
      const size_t i = Below(tree.nodes.size());
      if (tree.nodes[i].leaf()) Split(i, tree);
    }
    return tree;
  }

  void Split(size_t i, Tree& tree) {
    TreeNode& node = tree.nodes[i];
    node.column = int32_t(Below(forest_.columns.size()));
    node.left = int32_t(tree.nodes.size());
    node.missing_left = Uniform() < 0.5;
    node.threshold = float(Uniform());
    const int64_t cardinality = forest_.columns[size_t(node.column)].cardinality;
    node.set = int32_t(tree.sets.size());
    for (int64_t w = 0; w < SetWords(cardinality); ++w) tree.sets.push_back(uint32_t(random_()));
    // Some sides are empty, and some are below an empty side.
    const double share = Uniform() < 0.15 ? 0 : Uniform(), cover = node.cover;
    for (const double part : {share, 1 - share}) {
      tree.nodes.push_back({.value = float(Uniform()) - 0.5f, .cover = cover * part});
    }
  }

  std::mt19937_64 random_;
  Forest forest_;
};

// What a subtree predicts if only the columns of `known` are.
double Expected(const Forest& forest, const Tree& tree, int32_t at, const std::vector<float>& row,
                uint32_t known) {
  const TreeNode& node = tree.nodes[size_t(at)];
  if (node.leaf()) return node.value;
  const auto column = size_t(node.column);
  if (known >> column & 1) {
    const int32_t next = tree.Next(node, forest.columns[column], row[column]);
    return Expected(forest, tree, next, row, known);
  }
  const double left = tree.nodes[size_t(node.left)].cover;
  const double right = tree.nodes[size_t(node.left) + 1].cover;
  const double share = left + right == 0 ? 0.5 : left / (left + right);
  return share * Expected(forest, tree, node.left, row, known) +
         (1 - share) * Expected(forest, tree, node.left + 1, row, known);
}

double Expected(const Forest& forest, size_t output, const std::vector<float>& row,
                uint32_t known) {
  double sum = forest.base[output];
  for (size_t t = output; t < forest.trees.size(); t += forest.base.size()) {
    sum += Expected(forest, forest.trees[t], 0, row, known);
  }
  return sum;
}

// The definition, over all sets of columns: [outputs, columns].
std::vector<double> ByDefinition(const Forest& forest, const std::vector<float>& row) {
  const size_t width = forest.columns.size();
  std::vector<double> out;
  for (size_t o = 0; o < forest.base.size(); ++o) {
    for (size_t c = 0; c < width; ++c) {
      double sum = 0;
      for (uint32_t known = 0; known < 1u << width; ++known) {
        if (known >> c & 1) continue;
        const double size = std::popcount(known);
        const double weight = std::exp(std::lgamma(size + 1) + std::lgamma(double(width) - size) -
                                       std::lgamma(double(width) + 1));
        sum +=
            weight * (Expected(forest, o, row, known | 1u << c) - Expected(forest, o, row, known));
      }
      out.push_back(sum);
    }
  }
  return out;
}

std::vector<double> Explained(const Forest& forest, const std::vector<float>& row) {
  std::vector<double> out(forest.base.size() * forest.columns.size(), -1);
  ForestExplainer(forest).Explain(row, out);
  return out;
}

void ExpectDefinition(const Forest& forest, const std::vector<float>& row) {
  const std::vector<double> wanted = ByDefinition(forest, row), got = Explained(forest, row);
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-12) << i;
}

// Sums over the columns, less prediction and mean.
void ExpectAdditive(const Forest& forest, const std::vector<float>& row) {
  const ForestExplainer explainer(forest);
  const std::vector<double> got = Explained(forest, row);
  for (size_t o = 0; o < forest.base.size(); ++o) {
    double sum = explainer.mean()[o];
    for (size_t c = 0; c < forest.columns.size(); ++c) sum += got[o * forest.columns.size() + c];
    const double wanted = Expected(forest, o, row, ~0u);
    EXPECT_NEAR(sum, wanted, 1e-9 * std::max(1.0, std::abs(wanted)));
  }
}

TEST(ForestExplainer, GivesTheMeanOverAllSetsOfKnownColumns) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    RandomForest random(seed, {0, 5, 0, 40, 0, 0});
    const Forest forest = random.Make(1, 4, 12);
    EXPECT_NEAR(ForestExplainer(forest).mean()[0], Expected(forest, 0, random.Row(), 0), 1e-12);
    for (int i = 0; i < 5; ++i) ExpectDefinition(forest, random.Row());
  }
}

TEST(ForestExplainer, KeepsOutputsApart) {
  RandomForest random(7, {0, 0, 3});
  const Forest forest = random.Make(3, 9, 6);
  for (int i = 0; i < 20; ++i) ExpectDefinition(forest, random.Row());
}

TEST(ForestExplainer, MergesTheSplitsOfOneColumn) {
  RandomForest random(3, {0, 0});
  const Forest forest = random.Make(1, 2, 40);
  for (int i = 0; i < 20; ++i) ExpectDefinition(forest, random.Row());
}

// A path of `length` splits on as many columns, of which the row passes all.
Forest Chain(size_t length) {
  Forest forest{.base = {0.25f}, .trees = {Tree{.nodes = {{.cover = 1}}}}};
  auto& nodes = forest.trees[0].nodes;
  for (size_t c = 0; c < length; ++c) {
    forest.columns.push_back({"c" + std::to_string(c)});
    const auto left = int32_t(nodes.size());
    TreeNode& last = nodes[size_t(std::max(left - 2, 0))];
    last.column = int32_t(c), last.left = left, last.threshold = 0.5f;
    const double cover = last.cover;
    nodes.push_back({.value = 1, .cover = cover * 0.9});
    nodes.push_back({.value = float(c % 3), .cover = cover * 0.1});
  }
  return forest;
}

TEST(ForestExplainer, SharesALeafEquallyAmongAnyNumberOfColumns) {
  for (const size_t length : {1, 2, 8, 15, 16, 17, 31, 33, 64, 100}) {
    Forest forest = Chain(length);
    for (TreeNode& node : forest.trees[0].nodes) node.value = 0;
    forest.trees[0].nodes[forest.trees[0].nodes.size() - 2].value = 1;
    const std::vector<double> got = Explained(forest, std::vector<float>(length, 0));
    const double wanted = (1 - std::pow(0.9, double(length))) / double(length);
    for (const double each : got) EXPECT_NEAR(each, wanted, 1e-13) << length;
  }
}

TEST(ForestExplainer, AddsUpToPredictionLessMean) {
  for (const size_t length : {5, 20, 31}) {
    std::vector<float> row(length, 0);
    for (size_t c = 0; c < length; c += 4) row[c] = c % 8 == 0 ? 1 : kNoValue;
    ExpectAdditive(Chain(length), row);
  }
  RandomForest random(11, {0, 0, 0, 9, 0, 0, 100, 0, 0, 0, 0, 0});
  const Forest forest = random.Make(2, 40, 63);
  for (int i = 0; i < 20; ++i) ExpectAdditive(forest, random.Row());
}

TEST(ForestExplainer, ExplainsARowAsWithOthersBesideIt) {
  RandomForest random(5, {0, 7, 0});
  const Forest forest = random.Make(2, 6, 10);
  const ForestExplainer explainer(forest);
  std::vector<float> rows;
  for (int i = 0; i < 70; ++i) {
    const std::vector<float> row = random.Row();
    rows.insert(rows.end(), row.begin(), row.end());
  }
  std::vector<double> together(70 * 6);
  explainer.Explain(rows, together);
  for (size_t i = 0; i < 70; ++i) {
    const auto row = rows.begin() + ptrdiff_t(i * 3);
    EXPECT_EQ(Explained(forest, {row, row + 3}),
              std::vector<double>(together.begin() + ptrdiff_t(i * 6),
                                  together.begin() + ptrdiff_t(i * 6 + 6)));
  }
}

TEST(ForestExplainer, ExplainsOneOutputOfEachRow) {
  RandomForest random(13, {0, 4, 0});
  const Forest forest = random.Make(3, 9, 8);
  const std::vector<float> row = random.Row();
  const std::vector<float> rows = {row[0], row[1], row[2], row[0], row[1], row[2]};
  const std::vector<double> all = Explained(forest, row);
  std::vector<double> got(6);
  ForestExplainer(forest).Explain(rows, got, std::vector<int32_t>{2, 0});
  for (size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(got[c], all[6 + c]);
    EXPECT_EQ(got[3 + c], all[c]);
  }
}

TEST(ForestExplainer, GivesNothingToColumnsWithoutSplitsAndTreesWithoutBranches) {
  const Forest forest{.columns = {{"a"}, {"b"}}, .base = {2}, .trees = {{.nodes = {{.value = 3}}}}};
  EXPECT_EQ(Explained(forest, {1, 2}), (std::vector<double>{0, 0}));
  EXPECT_EQ(ForestExplainer(forest).mean()[0], 5);
}

}  // namespace
}  // namespace protium
