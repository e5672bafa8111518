// SPDX-License-Identifier: Apache-2.0
// What the estimator "tree_estimator" and its task "train_trees" (src/learning/tasks) both know.
#pragma once

#include <string>
#include <vector>

#include "pipeline/torch_task.h"
#include "protium/trees.h"
#include "trees/forest.h"

namespace protium {

// The name of forests in NetConfig::net.
inline constexpr const char* kForest = "trees";
// The task that grows them.
inline constexpr const char* kForestTask = "train_trees";

// TrainConfig::own of the task. Complete.
struct TreeConfig {
  TreeOptions trees;
  TreeTrainOptions train;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("trees", trees);
    visit("train", train);
  }
};

// The columns of a forest, in the order in which rows have them: numbers, then categories.
std::vector<ForestColumn> ForestColumns(const NetConfig& config);

// Returns the layout of packed rows for a forest, whose features may be missing
// (RowField::missing); otherwise as NetRows() (net_rows.h).
RowSchema ForestRows(const NetConfig& config, const std::string& weight, bool labels);

}  // namespace protium
