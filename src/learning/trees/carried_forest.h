// SPDX-License-Identifier: Apache-2.0
// A forest on its way to or from another program: the trees, and what their outputs mean there.
// Formats: xgboost_json.h, lightgbm_text.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "metrics/metrics.h"
#include "trees/forest.h"

namespace protium {

// What predictions make of an output before anything else: output * factor + shift.
struct OutputScale {
  double factor = 1;
  double shift = 0;
  bool operator==(const OutputScale&) const = default;
};

struct ForestTask {
  TargetKind kind = TargetKind::kValues;
  bool logarithmic = false;     // For values: exp() of the output is predicted.
  std::string loss = "mse";     // As the catalogue names it.
  std::vector<double> levels;   // For quantiles, ascending.
  double variance_power = 1.5;  // For the loss "tweedie".
  bool operator==(const ForestTask&) const = default;
};

struct CarriedForest {
  Forest forest;
  ForestTask task;
  std::vector<OutputScale> scales;  // One per output; empty: none is scaled.
};

// The forest in the bytes of a file of another program, which has no scales.
struct ReadForest {
  CarriedForest carried;
  std::vector<std::string> notes;  // What users of the forest should know.
  // What the file calls the categories of each column, by their index; empty: nothing.
  std::vector<std::vector<std::string>> categories;
};

// The bytes of such a file.
struct WrittenForest {
  std::string bytes;
  std::vector<std::string> notes;
};

// Files of other programs add nothing but leaves: base and scales go into them.
class FoldedLeaves {
 public:
  // Fails with Exit::kUsage if a leaf would be larger than a float32 can be.
  static Result<FoldedLeaves> Of(const CarriedForest& carried);

  // The forest, with a round of single leaves if it had no trees. `base` is to be ignored.
  const Forest& forest() const { return forest_; }
  // What a leaf of tree t adds.
  double Value(size_t t, const TreeNode& leaf) const {
    const size_t output = t % forest_.base.size();
    return factors_[output] * leaf.value + (t < forest_.base.size() ? firsts_[output] : 0);
  }

 private:
  Forest forest_;
  std::vector<double> factors_, firsts_;  // One per output.
};

// Files of strangers: categories are less than this, and sets of all trees have at most this many
// words.
inline constexpr int64_t kMostCarriedCategories = int64_t{1} << 20;
inline constexpr int64_t kMostSetWords = int64_t{1} << 26;
inline constexpr int64_t kMostOutputs = 65'536;

// Trees in the order in which a file has them, sorted into that of a Forest: those of output o at
// o, o + outputs, .... `output_of` has one entry per tree, less than `outputs`. Fails with
// Exit::kInput if outputs have different numbers of trees.
Result<std::vector<Tree>> InRounds(std::vector<Tree> trees, const std::vector<int64_t>& output_of,
                                   int64_t outputs);

}  // namespace protium
