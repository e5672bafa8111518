// SPDX-License-Identifier: Apache-2.0
// Writes XGBoost's JSON, as text of its own: a large forest would take a hundred times as much
// memory as Json, and a float32 is written with as many digits as it needs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <utility>

#include "base/fault.h"
#include "base/json.h"
#include "trees/thresholds.h"
#include "trees/xgboost_json.h"

namespace protium {
namespace {

// What XGBoost calls an objective, with its parameters, and the base score that adds nothing.
struct Named {
  std::string name;
  Json parameters = Json::object();
  const char* nothing = "0E0";
};

Named NameOf(const ForestTask& task, int64_t outputs) {
  const Json plain = {{"reg_loss_param", {{"scale_pos_weight", "1"}}}};
  if (task.kind == TargetKind::kTwoClasses || task.kind == TargetKind::kFlags) {
    return {"binary:logistic", plain, "5E-1"};
  }
  if (task.kind == TargetKind::kClasses) {
    const std::string classes = std::to_string(outputs);
    return {"multi:softprob", {{"softmax_multiclass_param", {{"num_class", classes}}}}};
  }
  if (task.kind == TargetKind::kQuantiles && outputs == int64_t(task.levels.size())) {
    const std::string levels = fmt::format("[{}]", fmt::join(task.levels, ","));
    return {"reg:quantileerror", {{"quantile_loss_param", {{"quantile_alpha", levels}}}}};
  }
  if (task.loss == "tweedie") {
    const std::string power = fmt::format("{}", task.variance_power);
    return {
        "reg:tweedie", {{"tweedie_regression_param", {{"tweedie_variance_power", power}}}}, "1E0"};
  }
  if (task.logarithmic) {
    return {"count:poisson", {{"poisson_regression_param", {{"max_delta_step", "0.7"}}}}, "1E0"};
  }
  if (task.loss == "mae") return {"reg:absoluteerror"};
  return {"reg:squarederror", plain};
}

// The digits of a float32, with an exponent where it would look like a whole number.
std::string Digits(float number) {
  if (std::isinf(number)) return number > 0 ? "1E39" : "-1E39";  // Read as float32, infinite.
  std::string digits = fmt::format("{}", number);
  if (digits.find_first_of(".e") == std::string::npos) digits += "E0";
  return digits;
}

// The lists of a tree's JSON, node by node.
struct NodeLists {
  std::vector<std::string> conditions, weights, gains, covers;
  std::vector<int32_t> left, right, parents, columns, defaults, types;
  std::vector<int64_t> categories, category_nodes, category_starts, category_sizes;
};

// One tree. The side of missing values of a split on categories becomes the left one, where XGBoost
// sends categories that it does not know; children are side by side in files, too, since XGBoost
// takes the right one to follow the left one.
class TreeText {
 public:
  TreeText(const FoldedLeaves& leaves, size_t t)
      : leaves_(leaves), t_(t), forest_(leaves.forest()), tree_(forest_.trees[t]) {}

  std::string Write() {
    Place();
    for (size_t i = 0; i < source_.size(); ++i) AddNode(i);
    return Text();
  }

 private:
  bool Categorical(const TreeNode& node) const {
    return !node.leaf() && forest_.columns[size_t(node.column)].cardinality > 0;
  }
  bool Swapped(const TreeNode& node) const { return Categorical(node) && !node.missing_left; }

  // Which node stands at a position, and where its parent does.
  void Place() {
    source_.resize(tree_.nodes.size());
    lists_.parents.resize(tree_.nodes.size(), 2147483647);
    for (size_t i = 0; i < source_.size(); ++i) {
      const TreeNode& node = tree_.nodes[size_t(source_[i])];
      if (node.leaf()) continue;
      const int32_t first = Swapped(node) ? 1 : 0;
      for (const int32_t side : {0, 1}) {
        source_[size_t(node.left + side)] = node.left + (side ^ first);
        lists_.parents[size_t(node.left + side)] = int32_t(i);
      }
    }
  }

  void AddNode(size_t i) {
    const TreeNode& node = tree_.nodes[size_t(source_[i])];
    const bool leaf = node.leaf(), categorical = Categorical(node);
    const float value = leaf ? float(leaves_.Value(t_, node)) : 0;
    lists_.left.push_back(leaf ? -1 : node.left);
    lists_.right.push_back(leaf ? -1 : node.left + 1);
    lists_.columns.push_back(leaf ? 0 : node.column);
    lists_.defaults.push_back(!leaf && (node.missing_left || categorical) ? 1 : 0);
    lists_.types.push_back(categorical ? 1 : 0);
    lists_.weights.push_back(Digits(value));
    lists_.gains.push_back(Digits(node.gain));
    lists_.covers.push_back(Digits(float(node.cover)));
    lists_.conditions.push_back(Digits(leaf ? value : categorical ? 0 : ToBelow(node.threshold)));
    if (categorical) AddSet(i, node);
  }

  // The categories that go to the side where missing values do not go.
  void AddSet(size_t i, const TreeNode& node) {
    const int64_t before = int64_t(lists_.categories.size());
    for (int64_t c = 0; c < forest_.columns[size_t(node.column)].cardinality; ++c) {
      const bool left = (tree_.sets[size_t(node.set + c / 32)] >> (c % 32) & 1) != 0;
      if (left != node.missing_left) lists_.categories.push_back(c);
    }
    lists_.category_nodes.push_back(int64_t(i));
    lists_.category_starts.push_back(before);
    lists_.category_sizes.push_back(int64_t(lists_.categories.size()) - before);
  }

  std::string Text() const {
    const auto join = [](const auto& list) { return fmt::join(list, ","); };
    std::string text = fmt::format(
        R"({{"base_weights":[{}],"categories":[{}],"categories_nodes":[{}],)"
        R"("categories_segments":[{}],"categories_sizes":[{}],"default_left":[{}],"id":{},)",
        join(lists_.weights), join(lists_.categories), join(lists_.category_nodes),
        join(lists_.category_starts), join(lists_.category_sizes), join(lists_.defaults), t_);
    text += fmt::format(
        R"("left_children":[{}],"loss_changes":[{}],"parents":[{}],"right_children":[{}],)"
        R"("split_conditions":[{}],"split_indices":[{}],"split_type":[{}],"sum_hessian":[{}],)",
        join(lists_.left), join(lists_.gains), join(lists_.parents), join(lists_.right),
        join(lists_.conditions), join(lists_.columns), join(lists_.types), join(lists_.covers));
    return text + fmt::format(R"("tree_param":{{"num_deleted":"0","num_feature":"{}",)"
                              R"("num_nodes":"{}","size_leaf_vector":"1"}}}})",
                              forest_.columns.size(), tree_.nodes.size());
  }

  const FoldedLeaves& leaves_;
  const size_t t_;
  const Forest& forest_;
  const Tree& tree_;
  std::vector<int32_t> source_;
  NodeLists lists_;
};

std::string BoosterText(const FoldedLeaves& leaves) {
  const Forest& forest = leaves.forest();
  std::vector<int64_t> outputs, rounds;
  std::string trees;
  for (size_t t = 0; t < forest.trees.size(); ++t) {
    outputs.push_back(int64_t(t) % forest.outputs());
    trees += (t == 0 ? "" : ",") + TreeText(leaves, t).Write();
  }
  for (int64_t round = 0; round <= forest.rounds(); ++round) {
    rounds.push_back(round * forest.outputs());
  }
  return fmt::format(R"({{"model":{{"gbtree_model_param":{{"num_parallel_tree":"1",)"
                     R"("num_trees":"{}"}},"iteration_indptr":[{}],"tree_info":[{}],)"
                     R"("trees":[{}]}},"name":"gbtree"}})",
                     forest.trees.size(), fmt::join(rounds, ","), fmt::join(outputs, ","), trees);
}

std::vector<std::string> NotesOn(const CarriedForest& carried, const Named& objective) {
  std::vector<std::string> notes;
  const std::string& loss = carried.task.loss;
  if (loss == "huber" || (loss != "mse" && objective.name == "reg:squarederror")) {
    notes.push_back(fmt::format(
        "the loss {} is written as {}: predictions are the same, training on from it is not", loss,
        objective.name));
  }
  for (const ForestColumn& each : carried.forest.columns) {
    if (each.name.find_first_of("[]<") == std::string::npos) continue;
    notes.push_back(fmt::format("XGBoost's Python package takes no column named {}", each.name));
  }
  return notes;
}

}  // namespace

Result<WrittenForest> ToXgboostJson(const CarriedForest& carried) {
  PT_LET(const FoldedLeaves leaves, FoldedLeaves::Of(carried));
  const int64_t outputs = carried.forest.outputs();
  const Named objective = NameOf(carried.task, outputs);
  Json names = Json::array(), types = Json::array(), said = {{"name", objective.name}};
  for (const ForestColumn& each : carried.forest.columns) {
    names.push_back(each.name);
    types.push_back(each.cardinality > 0 ? "c" : "float");
  }
  said.update(objective.parameters);
  const bool classes = carried.task.kind == TargetKind::kClasses;
  const Json parameters = {{"base_score", objective.nothing},
                           {"boost_from_average", "0"},
                           {"num_class", std::to_string(classes ? outputs : 0)},
                           {"num_feature", std::to_string(names.size())},
                           {"num_target", std::to_string(classes ? 1 : outputs)}};
  WrittenForest written{.notes = NotesOn(carried, objective)};
  written.bytes = fmt::format(
      R"({{"learner":{{"attributes":{{}},"feature_names":{},"feature_types":{},)"
      R"("gradient_booster":{},"learner_model_param":{},"objective":{}}},"version":[2,1,4]}})",
      Dump(names), Dump(types), BoosterText(leaves), Dump(parameters), Dump(said));
  return written;
}

}  // namespace protium
