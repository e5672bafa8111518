// SPDX-License-Identifier: Apache-2.0
// Reads XGBoost's JSON. The text may come from anyone: every length and position is checked before
// it is used, and memory is bounded by the size of the text and kMostSetWords.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "base/json.h"
#include "base/text.h"
#include "trees/loose_tree.h"
#include "trees/thresholds.h"
#include "trees/xgboost_json.h"
#include "trees/xgboost_tree.h"

namespace protium {
namespace {

using xgboost::At;
using xgboost::Bad;
using xgboost::CannotTake;
using xgboost::TreeJson;
using xgboost::Whole;

// "5E-1", or "[1E-1,5E-1]".
Result<std::vector<double>> Numbers(std::string_view text) {
  if (text.starts_with('[') || text.starts_with('(')) text = text.substr(1, text.size() - 2);
  std::vector<double> numbers;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const auto number = AllAsNumber<double>(Trimmed(text.substr(0, end)));
    if (!number || !std::isfinite(*number)) return Bad(fmt::format("\"{}\" is not a number", text));
    numbers.push_back(*number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return numbers;
}

// What an objective of XGBoost predicts, and how its base score is written.
enum class Link { kSame, kLogit, kLog };
struct Objective {
  const char* name;
  TargetKind kind;
  Link link;
  const char* loss;
};
constexpr Objective kObjectives[] = {
    {"reg:squarederror", TargetKind::kValues, Link::kSame, "mse"},
    {"reg:linear", TargetKind::kValues, Link::kSame, "mse"},
    {"reg:squaredlogerror", TargetKind::kValues, Link::kSame, "mse"},
    {"reg:absoluteerror", TargetKind::kValues, Link::kSame, "mae"},
    {"reg:pseudohubererror", TargetKind::kValues, Link::kSame, "huber"},
    {"reg:quantileerror", TargetKind::kQuantiles, Link::kSame, "quantile"},
    {"count:poisson", TargetKind::kValues, Link::kLog, "poisson"},
    {"reg:gamma", TargetKind::kValues, Link::kLog, "poisson"},
    {"reg:tweedie", TargetKind::kValues, Link::kLog, "tweedie"},
    {"binary:logistic", TargetKind::kTwoClasses, Link::kLogit, "binary_cross_entropy"},
    {"reg:logistic", TargetKind::kTwoClasses, Link::kLogit, "binary_cross_entropy"},
    {"binary:logitraw", TargetKind::kTwoClasses, Link::kLogit, "binary_cross_entropy"},
    {"multi:softprob", TargetKind::kClasses, Link::kSame, "cross_entropy"},
    {"multi:softmax", TargetKind::kClasses, Link::kSame, "cross_entropy"},
    {"rank:ndcg", TargetKind::kRelevance, Link::kSame, "lambdarank"},
    {"rank:pairwise", TargetKind::kRelevance, Link::kSame, "lambdarank"},
    {"rank:map", TargetKind::kRelevance, Link::kSame, "lambdarank"},
};

Result<double> Margin(Link link, double score) {
  if (link == Link::kSame) return score;
  const bool possible = score > 0 && (link == Link::kLog || score < 1);
  if (!possible) return Bad(fmt::format("a base score of {}", score));
  return link == Link::kLog ? std::log(score) : -std::log(1 / score - 1);
}

class Booster {
 public:
  explicit Booster(const Json& learner) : learner_(learner) {}

  Result<ReadForest> Read() {
    PT_TRY(ReadTask());
    PT_TRY(ReadColumns());
    PT_TRY(ReadTrees());
    PT_TRY(CheckForest(forest_));
    read_.carried.forest = std::move(forest_);
    return std::move(read_);
  }

 private:
  Status ReadTask() {
    const std::string name = TextAt(At(learner_, {"objective"}), "name");
    const auto* const found = std::ranges::find(kObjectives, name, &Objective::name);
    if (found == std::end(kObjectives)) {
      return CannotTake("the objective \"" + name + "\"",
                        "train with one that predicts numbers, classes or quantiles");
    }
    ForestTask& task = read_.carried.task;
    task = {.kind = found->kind, .logarithmic = found->link == Link::kLog, .loss = found->loss};
    const Json& parameters = At(learner_, {"learner_model_param"});
    PT_LET(const int64_t classes, Whole(parameters, "num_class", 0));
    PT_LET(const int64_t targets, Whole(parameters, "num_target", 1));
    outputs_ = std::max({classes, targets, int64_t{1}});
    if (outputs_ > kMostOutputs) return Bad(fmt::format("{} outputs", outputs_));
    if (task.kind == TargetKind::kTwoClasses && outputs_ > 1) task.kind = TargetKind::kFlags;
    PT_TRY(ReadDetails(task));
    if (name.starts_with("rank:")) {
      read_.notes.push_back("predictions are scores: only their order within a query counts");
    } else if (name == "reg:gamma") {
      read_.notes.push_back("reg:gamma is called poisson here: predictions are the same");
    }
    return ReadBase(TextAt(parameters, "base_score"), found->link);
  }

  Status ReadDetails(ForestTask& task) {
    const Json& objective = At(learner_, {"objective"});
    if (task.kind == TargetKind::kQuantiles) {
      const std::string text = TextAt(At(objective, {"quantile_loss_param"}), "quantile_alpha");
      PT_LET(task.levels, Numbers(text));
      if (int64_t(task.levels.size()) != outputs_) return Bad("levels and outputs differ");
    }
    const std::string power =
        TextAt(At(objective, {"tweedie_regression_param"}), "tweedie_variance_power");
    if (!power.empty()) {
      PT_LET(const std::vector<double> powers, Numbers(power));
      if (powers.size() == 1) task.variance_power = powers[0];
    }
    return Status::OK();
  }

  Status ReadBase(const std::string& text, Link link) {
    PT_LET(std::vector<double> scores, Numbers(text.empty() ? "5E-1" : text));
    if (scores.size() == 1) scores.resize(size_t(outputs_), scores[0]);
    if (int64_t(scores.size()) != outputs_) return Bad("base scores and outputs differ");
    for (const double score : scores) {
      PT_LET(const double margin, Margin(link, score));
      forest_.base.push_back(float(margin));
    }
    return Status::OK();
  }

  Status ReadColumns() {
    PT_LET(const int64_t columns, Whole(At(learner_, {"learner_model_param"}), "num_feature", 0));
    const Json& names = At(learner_, {"feature_names"});
    const Json& types = At(learner_, {"feature_types"});
    // Text without names may be about more columns than it has bytes.
    if (columns < 0 || columns > kMostCarriedCategories)
      return Bad(fmt::format("{} columns", columns));
    for (const Json* list : {&names, &types}) {
      const bool fits = list->is_null() || list->empty() || int64_t(list->size()) == columns;
      if (!fits) return Bad("columns and names differ in number");
    }
    for (size_t i = 0; i < size_t(columns); ++i) {
      const bool named = names.is_array() && !names.empty() && names[i].is_string();
      const bool typed = types.is_array() && !types.empty();
      forest_.columns.push_back({named ? names[i].get<std::string>() : fmt::format("f{}", i),
                                 typed && types[i] == "c" ? 1 : 0});
    }
    numbers_.resize(size_t(columns));
    return Status::OK();
  }

  // Models that learned from data frames have them since version 3.1.
  Status ReadCategories(const Json& cats) {
    const Json& encodings = At(cats, {"enc"});
    read_.categories.resize(forest_.columns.size());
    if (!encodings.is_array() || encodings.size() != forest_.columns.size()) return Status::OK();
    for (size_t c = 0; c < encodings.size(); ++c) {
      ForestColumn& column = forest_.columns[c];
      if (column.cardinality == 0) continue;
      PT_LET(read_.categories[c], xgboost::CategoryNames(encodings[c]));
      const auto names = int64_t(read_.categories[c].size());
      if (names > kMostCarriedCategories) return Bad(fmt::format("{} categories", names));
      column.cardinality = std::max(column.cardinality, names);
    }
    return Status::OK();
  }

  Status ReadTrees() {
    const Json& booster = At(learner_, {"gradient_booster"});
    const std::string name = TextAt(booster, "name");
    if (name != "gbtree" && name != "dart") {
      return CannotTake("the booster \"" + name + "\"", "train with booster=gbtree");
    }
    const Json& model = At(name == "dart" ? At(booster, {"gbtree"}) : booster, {"model"});
    PT_TRY(ReadCategories(At(model, {"cats"})));
    const Json& trees = At(model, {"trees"});
    const Json& info = At(model, {"tree_info"});
    if (!trees.is_array() || !info.is_array() || info.size() != trees.size()) {
      return Bad("trees and tree_info differ in number");
    }
    std::vector<TreeJson> files;
    std::vector<int64_t> output_of;
    for (size_t t = 0; t < trees.size(); ++t) {
      PT_LET(files.emplace_back(), TreeJson::Of(trees[t]));
      PT_TRY(LookAt(files.back()));
      output_of.push_back(info[t].is_number_integer() ? info[t].get<int64_t>() : -1);
      if (output_of[t] < 0 || output_of[t] >= outputs_) return Bad("a tree of no output");
    }
    std::vector<Tree> made;
    for (const TreeJson& each : files) {
      PT_LET(made.emplace_back(), Make(each));
    }
    if (name == "dart") PT_TRY(Weigh(At(booster, {"weight_drop"}), made));
    PT_LET(forest_.trees, InRounds(std::move(made), output_of, outputs_));
    return Status::OK();
  }

  // Checks the columns of a tree's splits, and learns how many categories they have.
  Status LookAt(const TreeJson& tree) {
    for (size_t i = 0; i < tree.size(); ++i) {
      if (tree.Leaf(i)) continue;
      if (!(tree.column(i) >= 0 && tree.column(i) < double(forest_.columns.size()))) {
        return Bad(fmt::format("a split on column {}", tree.column(i)));
      }
      const auto column = size_t(tree.column(i));
      int64_t& cardinality = forest_.columns[column].cardinality;
      if (!tree.Categorical(i)) numbers_[column] = true;
      if (tree.Categorical(i)) cardinality = std::max(cardinality, int64_t{1});
      for (const double category : tree.set(i)) {
        cardinality = std::max(cardinality, int64_t(category) + 1);
      }
      if (!tree.Categorical(i) || tree.missing_left(i) || noted_) continue;
      noted_ = true;
      read_.notes.push_back(
          "categories beyond those that the file names count as missing: XGBoost sends them left");
    }
    return Status::OK();
  }

  Result<Tree> Make(const TreeJson& file) {
    std::vector<LooseNode> nodes;
    std::vector<uint32_t> sets;
    for (size_t i = 0; i < file.size(); ++i) {
      LooseNode& loose = nodes.emplace_back();
      loose.node.cover = file.cover(i);
      if (file.Leaf(i)) {
        loose.node.value = file.condition(i);
        continue;
      }
      loose.left = int64_t(file.left(i));
      loose.right = int64_t(file.right(i));
      loose.node.column = int32_t(file.column(i));
      loose.node.missing_left = file.missing_left(i);
      loose.node.gain = float(file.gain(i));
      if (numbers_[size_t(loose.node.column)] == file.Categorical(i)) {
        return Bad(fmt::format("column {} is a number and a category", loose.node.column));
      }
      if (!file.Categorical(i)) loose.node.threshold = FromBelow(file.condition(i));
      if (file.Categorical(i)) PT_TRY(AddSet(file.set(i), loose.node, sets));
    }
    return LayOut(nodes, std::move(sets));
  }

  // Here a set has what goes left.
  Status AddSet(std::span<const double> right, TreeNode& node, std::vector<uint32_t>& sets) {
    const int64_t cardinality = forest_.columns[size_t(node.column)].cardinality;
    words_ += SetWords(cardinality);
    if (words_ > kMostSetWords) return Bad("its sets of categories are too large");
    node.set = int32_t(sets.size());
    sets.resize(sets.size() + size_t(SetWords(cardinality)));
    uint32_t* const set = sets.data() + node.set;
    for (int64_t c = 0; c < cardinality; ++c) set[c / 32] |= uint32_t{1} << (c % 32);
    for (const double each : right)
      set[int64_t(each) / 32] &= ~(uint32_t{1} << (int64_t(each) % 32));
    return Status::OK();
  }

  // Each tree of dart counts by a weight.
  static Status Weigh(const Json& weights, std::vector<Tree>& trees) {
    if (!weights.is_array() || weights.size() != trees.size()) return Bad("weight_drop is missing");
    for (size_t t = 0; t < trees.size(); ++t) {
      if (!weights[t].is_number()) return Bad("weight_drop has no numbers");
      for (TreeNode& node : trees[t].nodes) node.value *= weights[t].get<float>();
    }
    return Status::OK();
  }

  const Json& learner_;
  int64_t outputs_ = 1;
  int64_t words_ = 0;
  Forest forest_;
  ReadForest read_;
  std::vector<bool> numbers_;  // Columns with a split by a threshold.
  bool noted_ = false;
};

}  // namespace

Result<ReadForest> FromXgboostJson(std::string_view text) {
  PT_LET(const Json json, ParseJson(text));
  const Json& learner = At(json, {"learner"});
  if (!learner.is_object()) return Bad("it has no \"learner\"");
  return Booster(learner).Read();
}

}  // namespace protium
