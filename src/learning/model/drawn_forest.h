// SPDX-License-Identifier: Apache-2.0
// The forest of a model as people look at it: in terms of the table, not of bins and indices. All
// of it follows from the model folder; no rows are read.
//
// 1. Columns and outputs have the names and units of model/forest_words.h.
// 2. Numbers have seven digits.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "model/forest_words.h"
#include "trees/forest.h"

namespace protium {

// Immutable: any thread.
class DrawnForest {
 public:
  // Returns nothing for a model without a forest; fails with Exit::kInput for a folder that is no
  // model, and for a damaged one.
  static Result<std::optional<DrawnForest>> Read(const std::filesystem::path& model);

  // {"rounds", "trees", "leaves": of all of them, "most_leaves": of a tree, "depth": of the
  // deepest, "numeric", "categorical": how many columns it reads, "outputs": [TEXT], "splits":
  // [{"column", "gain": its share of all, "splits": how many}]}, the columns by their gain.
  Json Summary() const;

  // {"rounds", "trees", "leaves": the most that a tree has, "columns", "outputs": [TEXT], "mean":
  // by output, "dependence"}. The last says how predictions change with each of the six columns
  // whose splits gain most (trees/dependence.h):
  // - of a number {"column", "gain": its share of all, "thresholds": [N], "values": [[N + 1]] by
  //   output: between the thresholds, "missing": by output};
  // - of a category {"column", "gain", "categories": [TEXT], the most frequent ones, "left_out",
  //   "values": [[N]], "missing"}.
  Json Outline() const;

  // {"tree", "round", "output", "leaves", "depth", "nodes"}; trees are numbered from 0, and nodes
  // are ordered by depth. A leaf is {"value", "cover"}; a split also has "column", "gain", "left",
  // where its children begin, and what the left one is for: "threshold", the most that a number may
  // be; or "categories" (the first 12 of "category_count") that go to the side "named" while all
  // others go where missing values do. "missing" is "left" or "right". The value of a split is the
  // mean below it. Nodes after the first 1,023 are left out: those above them have "below", their
  // leaves, instead of "left". Fails with Exit::kInput if there is no such tree.
  Result<Json> TreeAt(int64_t tree) const;

 private:
  DrawnForest() = default;
  Json DependenceOn(size_t column) const;
  Json SplitOf(const Tree& tree, const TreeNode& node) const;

  Forest forest_;
  std::vector<ColumnWords> columns_;
  std::vector<OutputWords> outputs_;
};

}  // namespace protium
