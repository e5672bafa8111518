// SPDX-License-Identifier: Apache-2.0
// Writes LightGBM's text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/fault.h"
#include "trees/lightgbm_text.h"
#include "trees/thresholds.h"

namespace protium {
namespace {

// Bits of decision_type.
constexpr int32_t kCategorical = 1, kMissingLeft = 2, kMissingIsNan = 8;

// The lists of a tree: of its splits, and of its leaves.
class TreeText {
 public:
  TreeText(const FoldedLeaves& leaves, size_t t)
      : leaves_(leaves), t_(t), forest_(leaves.forest()), tree_(forest_.trees[t]) {}

  std::string Write() {
    Number();
    for (const TreeNode& node : tree_.nodes) {
      if (node.leaf()) {
        values_.push_back(leaves_.Value(t_, node));
        leaf_weights_.push_back(node.cover);
        leaf_counts_.push_back(CountOf(node));
      } else {
        AddSplit(node);
      }
    }
    return Text();
  }

 private:
  // Splits count from 0, leaves from -1 downwards, in the order of nodes.
  void Number() {
    int32_t split = 0, leaf = -1;
    for (const TreeNode& node : tree_.nodes) numbers_.push_back(node.leaf() ? leaf-- : split++);
  }

  // LightGBM keeps rows where we keep the sums of hessians; its explanations weigh by them.
  static int64_t CountOf(const TreeNode& node) {
    return std::clamp<int64_t>(std::llround(std::min(node.cover, 2e9)), 1, 2'000'000'000);
  }

  void AddSplit(const TreeNode& node) {
    const bool categorical = forest_.columns[size_t(node.column)].cardinality > 0;
    // What is missing or unknown goes right in a split on categories.
    const int32_t first = categorical && node.missing_left ? 1 : 0;
    left_.push_back(numbers_[size_t(node.left + first)]);
    right_.push_back(numbers_[size_t(node.left + 1 - first)]);
    columns_.push_back(node.column);
    gains_.push_back(node.gain);
    weights_.push_back(node.cover);
    counts_.push_back(CountOf(node));
    if (categorical) return AddSet(node);
    types_.push_back(kMissingIsNan | (node.missing_left ? kMissingLeft : 0));
    thresholds_.push_back(fmt::format("{}", ToDouble(node.threshold)));
  }

  void AddSet(const TreeNode& node) {
    types_.push_back(kMissingIsNan | kCategorical);
    thresholds_.push_back(fmt::format("{}", bounds_.size() - 1));
    const int64_t cardinality = forest_.columns[size_t(node.column)].cardinality;
    for (int64_t word = 0; word < SetWords(cardinality); ++word) {
      const int64_t bits = std::min<int64_t>(32, cardinality - word * 32);
      const auto all = uint32_t((uint64_t{1} << bits) - 1);
      const uint32_t left = tree_.sets[size_t(node.set + word)];
      words_.push_back((node.missing_left ? ~left : left) & all);
    }
    bounds_.push_back(words_.size());
  }

  std::string Text() const {
    const auto list = [](const auto& values) { return fmt::join(values, " "); };
    std::string text = fmt::format(
        "Tree={}\nnum_leaves={}\nnum_cat={}\nsplit_feature={}\nsplit_gain={}\nthreshold={}\n"
        "decision_type={}\nleft_child={}\nright_child={}\n",
        t_, values_.size(), bounds_.size() - 1, list(columns_), list(gains_), list(thresholds_),
        list(types_), list(left_), list(right_));
    text += fmt::format(
        "leaf_value={}\nleaf_weight={}\nleaf_count={}\ninternal_value={}\ninternal_weight={}\n"
        "internal_count={}\n",
        list(values_), list(leaf_weights_), list(leaf_counts_),
        list(std::vector<int>(columns_.size())), list(weights_), list(counts_));
    if (bounds_.size() > 1) {
      text += fmt::format("cat_boundaries={}\ncat_threshold={}\n", list(bounds_), list(words_));
    }
    return text + "is_linear=0\nshrinkage=1\n\n\n";
  }

  const FoldedLeaves& leaves_;
  const size_t t_;
  const Forest& forest_;
  const Tree& tree_;
  std::vector<int32_t> numbers_, columns_, types_, left_, right_;
  std::vector<std::string> thresholds_;
  std::vector<float> gains_;
  std::vector<double> values_, weights_, leaf_weights_;
  std::vector<int64_t> counts_, leaf_counts_;
  std::vector<size_t> bounds_ = {0};
  std::vector<uint32_t> words_;
};

// Empty: predictions are the sums of leaves.
std::string NameOf(const ForestTask& task, int64_t outputs) {
  if (task.kind == TargetKind::kTwoClasses) return "binary sigmoid:1";
  if (task.kind == TargetKind::kClasses) return fmt::format("multiclass num_class:{}", outputs);
  if (task.kind == TargetKind::kFlags) {
    return fmt::format("multiclassova num_class:{} sigmoid:1", outputs);
  }
  if (outputs > 1) return "";
  if (task.kind == TargetKind::kQuantiles) return "quantile";
  if (task.loss == "tweedie") return "tweedie";
  if (task.logarithmic) return "poisson";
  if (task.loss == "mae") return "regression_l1";
  return task.loss == "huber" ? "huber" : "regression";
}

// Names are separated by spaces.
std::string ColumnName(std::string name) {
  for (char& each : name) {
    if (each == ' ' || each == '\t' || each == '\n' || each == '\r' || each == '=') each = '_';
  }
  return name;
}

struct Head {
  std::vector<std::string> names, infos;
  std::vector<std::string> notes;
};

Result<Head> HeadOf(const CarriedForest& carried) {
  Head head;
  for (const ForestColumn& each : carried.forest.columns) {
    head.names.push_back(ColumnName(each.name));
    if (std::ranges::count(head.names, head.names.back()) > 1 || each.name.empty()) {
      return Fail({.exit = Exit::kUsage,
                   .what = fmt::format("column \"{}\" has no name of its own in LightGBM's text",
                                       each.name),
                   .why = "there are no blanks in names",
                   .fix = "--to xgboost, or another name for the column"});
    }
    if (head.names.back() != each.name) {
      head.notes.push_back(fmt::format("column \"{}\" is called {}", each.name, head.names.back()));
    }
    std::vector<int64_t> categories(size_t(each.cardinality));
    for (size_t c = 0; c < categories.size(); ++c) categories[c] = int64_t(c);
    head.infos.push_back(categories.empty() ? "[-inf:inf]"
                                            : fmt::format("{}", fmt::join(categories, ":")));
  }
  return head;
}

}  // namespace

Result<WrittenForest> ToLightgbmText(const CarriedForest& carried) {
  const int64_t outputs = carried.forest.outputs();
  const ForestTask& task = carried.task;
  if (task.logarithmic && outputs > 1) {
    return Fail({.exit = Exit::kUsage,
                 .what = "LightGBM's text has one logarithm of a label, not several",
                 .fix = "--to xgboost or --to onnx"});
  }
  PT_LET(const FoldedLeaves leaves, FoldedLeaves::Of(carried));
  PT_LET(Head head, HeadOf(carried));
  std::vector<std::string> trees;
  std::vector<size_t> sizes;
  for (size_t t = 0; t < leaves.forest().trees.size(); ++t) {
    trees.push_back(TreeText(leaves, t).Write());
    sizes.push_back(trees.back().size());
  }
  std::string text = fmt::format(
      "tree\nversion=v4\nnum_class={}\nnum_tree_per_iteration={}\nlabel_index=0\n"
      "max_feature_idx={}\n",
      outputs, outputs, int64_t(head.names.size()) - 1);
  const std::string name = NameOf(task, outputs);
  if (!name.empty()) text += fmt::format("objective={}\n", name);
  text +=
      fmt::format("feature_names={}\nfeature_infos={}\ntree_sizes={}\n\n",
                  fmt::join(head.names, " "), fmt::join(head.infos, " "), fmt::join(sizes, " "));
  for (const std::string& each : trees) text += each;
  text += "end of trees\n\nparameters:\n\nend of parameters\n\npandas_categorical:null\n";
  return WrittenForest{std::move(text), std::move(head.notes)};
}

}  // namespace protium
