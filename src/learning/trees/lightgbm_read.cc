// SPDX-License-Identifier: Apache-2.0
// Reads LightGBM's text. It may come from anyone: every length and position is checked before it is
// used, and memory is bounded by the size of the text and kMostSetWords.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "base/json.h"
#include "base/text.h"
#include "trees/lightgbm_text.h"
#include "trees/lightgbm_tree.h"
#include "trees/loose_tree.h"
#include "trees/thresholds.h"

namespace protium {
namespace {

using lightgbm::Bad;
using lightgbm::CannotTake;
using lightgbm::Lines;
using lightgbm::TakeLines;
using lightgbm::TreeLists;
using lightgbm::Whole;
using lightgbm::Words;

struct Objective {
  const char* name;
  TargetKind kind;
  const char* loss;
  bool logarithmic = false;
};
constexpr Objective kObjectives[] = {
    {"regression", TargetKind::kValues, "mse"},
    {"regression_l1", TargetKind::kValues, "mae"},
    {"mape", TargetKind::kValues, "mae"},
    {"huber", TargetKind::kValues, "huber"},
    {"fair", TargetKind::kValues, "huber"},
    {"quantile", TargetKind::kQuantiles, "quantile"},
    {"poisson", TargetKind::kValues, "poisson", true},
    {"gamma", TargetKind::kValues, "poisson", true},
    {"tweedie", TargetKind::kValues, "tweedie", true},
    {"binary", TargetKind::kTwoClasses, "binary_cross_entropy"},
    {"cross_entropy", TargetKind::kTwoClasses, "binary_cross_entropy"},
    {"multiclass", TargetKind::kClasses, "cross_entropy"},
    {"multiclassova", TargetKind::kFlags, "binary_cross_entropy"},
    {"lambdarank", TargetKind::kRelevance, "lambdarank"},
    {"rank_xendcg", TargetKind::kRelevance, "lambdarank"},
};

class Model {
 public:
  explicit Model(std::string_view text) : text_(text) {}

  Result<ReadForest> Read() {
    head_ = TakeLines(text_, "Tree=");
    PT_LET(outputs_, Whole(head_, "num_tree_per_iteration"));
    if (outputs_ < 1 || outputs_ > kMostOutputs) return Bad(fmt::format("{} outputs", outputs_));
    PT_TRY(ReadColumns());
    PT_TRY(ReadTrees());
    tail_ = text_;
    PT_TRY(ReadTask());
    PT_TRY(ReadCategories());
    PT_TRY(MakeTrees());
    forest_.base.assign(size_t(outputs_), 0);
    PT_TRY(CheckForest(forest_));
    read_.carried.forest = std::move(forest_);
    return std::move(read_);
  }

 private:
  std::string_view Line(std::string_view key) const {
    const auto found = head_.find(key);
    return found == head_.end() ? std::string_view() : found->second;
  }

  Status ReadTask() {
    ForestTask& task = read_.carried.task;
    const std::vector<std::string_view> words = Words(Line("objective"));
    if (words.empty() || words[0] == "custom" || words[0] == "none") {
      read_.notes.push_back("the file names no objective: predictions are the sums of leaves");
      return Status::OK();
    }
    const auto* const found = std::ranges::find(kObjectives, words[0], &Objective::name);
    if (found == std::end(kObjectives)) {
      return CannotTake(fmt::format("the objective \"{}\"", words[0]),
                        "train with one that predicts numbers, classes or quantiles");
    }
    task = {.kind = found->kind, .logarithmic = found->logarithmic, .loss = found->loss};
    if (task.kind == TargetKind::kQuantiles) task.levels = {Parameter("alpha", 0.9)};
    if (words[0] == "tweedie") task.variance_power = Parameter("tweedie_variance_power", 1.5);
    if (words[0] == "gamma" || words[0] == "fair" || words[0] == "mape") {
      read_.notes.push_back(
          fmt::format("{} is called {} here: predictions are the same", words[0], task.loss));
    }
    if (words[0] == "lambdarank" || words[0] == "rank_xendcg") {
      read_.notes.push_back("predictions are scores: only their order within a query counts");
    }
    return ReadWords(words);
  }

  // What follows the objective's name.
  Status ReadWords(const std::vector<std::string_view>& words) {
    for (const std::string_view word : words) {
      if (word == "sqrt") return CannotTake("roots of labels", "train with reg_sqrt=false");
      if (!word.starts_with("sigmoid:")) continue;
      const auto sigmoid = AllAsNumber<double>(word.substr(8));
      if (!sigmoid || !(*sigmoid > 0) || !std::isfinite(*sigmoid)) return Bad(std::string(word));
      factor_ *= *sigmoid;
    }
    return Status::OK();
  }

  // "[alpha: 0.9]", behind the trees.
  double Parameter(std::string_view name, double otherwise) const {
    const std::string begins = fmt::format("\n[{}: ", name);
    const size_t at = tail_.find(begins);
    if (at == std::string_view::npos) return otherwise;
    const std::string_view rest = tail_.substr(at + begins.size());
    const auto number = AllAsNumber<double>(rest.substr(0, std::min(rest.find(']'), rest.size())));
    return number && std::isfinite(*number) ? *number : otherwise;
  }

  Status ReadColumns() {
    const std::vector<std::string_view> names = Words(Line("feature_names"));
    PT_LET(const int64_t last, Whole(head_, "max_feature_idx"));
    if (names.empty() || int64_t(names.size()) - 1 != last) {
      return Bad("columns and names differ in number");
    }
    for (const std::string_view name : names) forest_.columns.push_back({std::string(name), 0});
    numbers_.resize(names.size());
    return Status::OK();
  }

  // The last line has the lists of categories that pandas knew, for the columns of categories in
  // their order, which are those without a range of numbers.
  Status ReadCategories() {
    read_.categories.resize(forest_.columns.size());
    const size_t at = tail_.find("\npandas_categorical:");
    if (at == std::string_view::npos) return Status::OK();
    const Result<Json> lists = ParseJson(Trimmed(tail_.substr(at + 20)));
    const std::vector<std::string_view> infos = Words(Line("feature_infos"));
    if (!lists.ok() || !lists->is_array() || infos.size() != forest_.columns.size()) {
      return Status::OK();
    }
    std::vector<size_t> columns;
    for (size_t c = 0; c < infos.size(); ++c) {
      const bool categorical = infos[c] != "none" && !infos[c].starts_with('[');
      if (categorical || forest_.columns[c].cardinality > 0) columns.push_back(c);
    }
    if (columns.size() == lists->size()) return TakeCategories(*lists, columns);
    if (!lists->empty()) {
      read_.notes.push_back("the file does not say whose categories it names: they are numbers");
    }
    return Status::OK();
  }

  Status TakeCategories(const Json& lists, const std::vector<size_t>& columns) {
    for (size_t i = 0; i < columns.size(); ++i) {
      ForestColumn& column = forest_.columns[columns[i]];
      std::vector<std::string> texts;
      for (const Json& each : lists[i]) {
        const bool named = each.is_string() || each.is_number_integer() || each.is_boolean();
        if (!named) return Bad("categories of " + column.name + " that are no texts or numbers");
        texts.push_back(each.is_string() ? each.get<std::string>() : Dump(each));
      }
      if (int64_t(texts.size()) > kMostCarriedCategories || numbers_[columns[i]]) continue;
      column.cardinality = std::max(column.cardinality, int64_t(texts.size()));
      read_.categories[columns[i]] = std::move(texts);
    }
    return Status::OK();
  }

  Status ReadTrees() {
    while (text_.starts_with("Tree=")) {
      text_.remove_prefix(5);
      // The lines of a tree end before the next one, or before "end of trees".
      const size_t next =
          std::min({text_.find("\nTree="), text_.find("\nend of trees"), text_.size()});
      std::string_view own = text_.substr(0, next);
      text_.remove_prefix(std::min(next + 1, text_.size()));
      PT_LET(files_.emplace_back(), TreeLists::Of(TakeLines(own, "Tree=")));
      PT_TRY(LookAt(files_.back()));
    }
    if (!text_.starts_with("end of trees")) return Bad("it ends within the trees");
    return Status::OK();
  }

  // Checks the columns of a tree's splits, and learns how many categories they have.
  Status LookAt(const TreeLists& tree) {
    for (size_t i = 0; i < tree.splits(); ++i) {
      if (tree.columns[i] < 0 || tree.columns[i] >= int64_t(forest_.columns.size())) {
        return Bad(fmt::format("a split on column {}", tree.columns[i]));
      }
      const auto column = size_t(tree.columns[i]);
      if (!tree.Categorical(i)) {
        numbers_[column] = true;
        continue;
      }
      const std::span<const uint32_t> set = tree.Set(i);
      int64_t most = 1;
      for (size_t w = 0; w < set.size(); ++w) {
        if (set[w] != 0) most = int64_t(w) * 32 + std::bit_width(set[w]);
      }
      int64_t& cardinality = forest_.columns[column].cardinality;
      cardinality = std::max(cardinality, most);
    }
    return Status::OK();
  }

  Status MakeTrees() {
    std::vector<int64_t> output_of;
    std::vector<Tree> made;
    // A random forest predicts the mean of its rounds.
    const bool mean = head_.contains("average_output");
    if (mean && !files_.empty()) factor_ *= double(outputs_) / double(files_.size());
    for (const TreeLists& file : files_) {
      output_of.push_back(int64_t(made.size()) % outputs_);
      PT_LET(made.emplace_back(), Make(file));
    }
    if (made.empty()) return Status::OK();
    PT_LET(forest_.trees, InRounds(std::move(made), output_of, outputs_));
    return Status::OK();
  }

  // Splits first, then leaves.
  Result<Tree> Make(const TreeLists& file) {
    std::vector<LooseNode> nodes(file.splits() + file.values.size());
    std::vector<uint32_t> sets;
    for (size_t i = 0; i < file.splits(); ++i) {
      LooseNode& loose = nodes[i];
      const auto place = [&](int64_t child) { return child >= 0 ? child : Leaf(file, child); };
      loose.left = place(file.left[i]);
      loose.right = place(file.right[i]);
      loose.node = {.column = int32_t(file.columns[i]),
                    .missing_left = file.MissingLeft(i),
                    .gain = FromDouble(file.gains[i]),
                    .cover = file.weights[i]};
      if (numbers_[size_t(loose.node.column)] == file.Categorical(i)) {
        return Bad(fmt::format("column {} is a number and a category", loose.node.column));
      }
      if (!file.Categorical(i)) loose.node.threshold = FromDouble(file.thresholds[i]);
      if (file.Categorical(i)) PT_TRY(AddSet(file.Set(i), loose.node, sets));
    }
    for (size_t i = 0; i < file.values.size(); ++i) {
      TreeNode& leaf = nodes[file.splits() + i].node;
      const double value = file.values[i] * factor_;
      if (!(std::abs(value) <= std::numeric_limits<float>::max())) {
        return Bad(fmt::format("a leaf of {}", value));
      }
      leaf.value = float(value);
      leaf.cover = file.leaf_weights[i];
    }
    return LayOut(nodes, std::move(sets));
  }

  // The position of a leaf among the nodes; one that does not exist for a leaf that does not.
  static int64_t Leaf(const TreeLists& file, int64_t child) {
    const bool exists = child >= -int64_t(file.values.size());
    return exists ? int64_t(file.splits()) - 1 - child : -1;
  }

  Status AddSet(std::span<const uint32_t> left, TreeNode& node, std::vector<uint32_t>& sets) {
    const auto words = size_t(SetWords(forest_.columns[size_t(node.column)].cardinality));
    words_ += int64_t(words);
    if (words_ > kMostSetWords) return Bad("its sets of categories are too large");
    node.set = int32_t(sets.size());
    for (size_t w = 0; w < words; ++w) sets.push_back(w < left.size() ? left[w] : 0);
    return Status::OK();
  }

  std::string_view text_;  // What has not been read yet.
  std::string_view tail_;  // Behind the trees.
  Lines head_;
  std::vector<TreeLists> files_;
  int64_t outputs_ = 1;
  int64_t words_ = 0;
  double factor_ = 1;  // Of all leaves.
  Forest forest_;
  ReadForest read_;
  std::vector<bool> numbers_;  // Columns with a split by a threshold.
};

}  // namespace

Result<ReadForest> FromLightgbmText(std::string_view text) {
  if (!text.starts_with("tree\n") && !text.starts_with("tree\r\n")) {
    return Bad("it does not begin with the line \"tree\"");
  }
  return Model(text).Read();
}

}  // namespace protium
