// SPDX-License-Identifier: Apache-2.0
// A TreeEnsembleRegressor of ai.onnx.ml. It goes left where a float32 is at most a threshold, as
// forests do, but knows no sets of categories: a set is a chain of thresholds on the index, one for
// each run of neighbours that go the same way. Nodes of a chain share children by their true side,
// as converters of LightGBM have long done; ONNX Runtime wants every false side to be a node's own.
#include "onnx/forest.h"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "model/forest_config.h"
#include "trees/carried_forest.h"
#include "trees/forest_file.h"

namespace protium::onnx {
namespace {

// About 100 bytes of the file each.
constexpr size_t kMostNodes = 10'000'000;

// The attributes of the operator: one entry per node, or per leaf.
class Ensemble {
 public:
  explicit Ensemble(const Forest& forest) : forest_(forest) {}

  Status Add() {
    for (size_t t = 0; t < forest_.trees.size(); ++t) {
      tree_ = int64_t(t);
      next_ = int64_t(forest_.trees[t].nodes.size());
      for (size_t i = 0; i < forest_.trees[t].nodes.size(); ++i) {
        AddNode(forest_.trees[t].nodes[i], int64_t(i));
        if (ids_.size() <= kMostNodes) continue;
        return CannotSay(fmt::format("a forest of more than {} nodes", kMostNodes),
                         "each run of categories in a set is a node");
      }
    }
    return Status::OK();
  }

  void Describe(Graph& graph) const {
    using Wholes = std::span<const int64_t>;
    using Floats = std::span<const float>;
    graph.With("n_targets", forest_.outputs());
    graph.With("base_values", Floats(forest_.base));
    graph.With("nodes_treeids", Wholes(trees_));
    graph.With("nodes_nodeids", Wholes(ids_));
    graph.With("nodes_featureids", Wholes(columns_));
    graph.With("nodes_modes", std::span<const std::string>(modes_));
    graph.With("nodes_values", Floats(values_));
    graph.With("nodes_truenodeids", Wholes(trues_));
    graph.With("nodes_falsenodeids", Wholes(falses_));
    graph.With("nodes_missing_value_tracks_true", Wholes(missing_));
    graph.With("target_treeids", Wholes(leaf_trees_));
    graph.With("target_nodeids", Wholes(leaf_ids_));
    graph.With("target_ids", Wholes(leaf_outputs_));
    graph.With("target_weights", Floats(leaf_values_));
  }

 private:
  void AddNode(const TreeNode& node, int64_t id) {
    if (!node.leaf() && forest_.columns[size_t(node.column)].cardinality > 0) {
      return AddSet(node, id);
    }
    if (!node.leaf()) {
      return AddRow(id, node.column, node.threshold, node.left, node.left + 1, node.missing_left);
    }
    AddRow(id, 0, 0, 0, 0, false);
    modes_.back() = "LEAF";
    leaf_trees_.push_back(tree_);
    leaf_ids_.push_back(id);
    leaf_outputs_.push_back(tree_ % forest_.outputs());
    leaf_values_.push_back(node.value);
  }

  void AddRow(int64_t id, int64_t column, float at_most, int64_t left, int64_t right,
              bool missing_left) {
    trees_.push_back(tree_);
    ids_.push_back(id);
    columns_.push_back(column);
    modes_.emplace_back("BRANCH_LEQ");
    values_.push_back(at_most);
    trues_.push_back(left);
    falses_.push_back(right);
    missing_.push_back(missing_left ? 1 : 0);
  }

  // Runs of neighbours on one side, each but the last with its threshold. The index is NaN where it
  // is missing or unknown: NaN goes where the last run goes, unless the first threshold takes it.
  void AddSet(const TreeNode& node, int64_t id) {
    const Tree& tree = forest_.trees[size_t(tree_)];
    const auto left = [&](int64_t c) {
      return (tree.sets[size_t(node.set + c / 32)] >> (c % 32) & 1) != 0;
    };
    const auto child = [&](bool to_left) { return to_left ? node.left : node.left + 1; };
    const int64_t last = forest_.columns[size_t(node.column)].cardinality - 1;
    const bool ends = left(last), takes = node.missing_left != ends;
    std::vector<std::pair<float, bool>> runs;
    // Without it a node of one run would not have two children.
    if (takes ? left(0) == ends : RunsEnd(left, last) == last) runs.emplace_back(-1.F, !ends);
    for (int64_t c = 0; c < last; ++c) {
      if (left(c) != left(c + 1)) runs.emplace_back(float(c), left(c));
    }
    for (size_t i = 0; i < runs.size(); ++i) {
      const bool ended = i + 1 == runs.size();
      const int64_t next = ended ? child(ends) : next_++;
      AddRow(id, node.column, runs[i].first, child(runs[i].second), next, i == 0 && takes);
      id = next;
    }
  }

  // The last index of the first run.
  template <class Left>
  static int64_t RunsEnd(const Left& left, int64_t last) {
    int64_t end = 0;
    while (end < last && left(end) == left(end + 1)) ++end;
    return end;
  }

  const Forest& forest_;
  int64_t tree_ = 0;
  int64_t next_ = 0;  // The next free id of the tree.
  std::vector<int64_t> trees_, ids_, columns_, trues_, falses_, missing_;
  std::vector<std::string> modes_;
  std::vector<float> values_;
  std::vector<int64_t> leaf_trees_, leaf_ids_, leaf_outputs_;
  std::vector<float> leaf_values_;
};

// A column of a forest as float32, NaN where it is missing; [rows, 1].
Result<Value> Feature(const ForestColumn& column, Cells& cells, Graph& graph) {
  const std::vector<int64_t> last = {1};
  const Value axes = graph.Wholes(last);
  if (column.cardinality == 0) {
    PT_LET(const Value number, cells.Number(column.name));
    return graph.Add("Unsqueeze", {graph.As(number, kFloat), axes}, kFloat);
  }
  PT_LET(const Value place, cells.At(column.name));
  const Value index = graph.As(place, kWhole);
  const Value least = graph.Add("GreaterOrEqual", {index, graph.Whole(0)}, kFlag);
  const Value most = graph.Add("Less", {index, graph.Whole(column.cardinality)}, kFlag);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Value known = graph.Add("Where",
                                {graph.Add("And", {least, most}, kFlag), graph.As(index, kFloat),
                                 graph.Floats({&nan, 1}, {})},
                                kFloat);
  return graph.Add("Unsqueeze", {known, axes}, kFloat);
}

}  // namespace

bool IsForest(const Json& net) { return TextAt(net.at("net"), "name") == kForest; }

Result<Value> AddForest(const Json& net, const Safetensors& weights, Cells& cells, Graph& graph) {
  NetConfig config;
  PT_TRY(FieldsFromJson(net, "", config));
  PT_LET(Forest read, ForestOf(weights, ForestColumns(config), "weights.safetensors"));
  // The operator wants at least one tree.
  PT_LET(const FoldedLeaves leaves, FoldedLeaves::Of({.forest = std::move(read)}));
  const Forest& forest = leaves.forest();
  Ensemble ensemble(forest);
  PT_TRY(ensemble.Add());
  std::vector<Value> features;
  for (const ForestColumn& column : forest.columns) {
    PT_LET(features.emplace_back(), Feature(column, cells, graph));
  }
  const Value joined = graph.Add("Concat", features, kFloat);
  graph.With("axis", int64_t{1});
  const Value outputs = graph.Add("TreeEnsembleRegressor", {joined}, kFloat);
  graph.InMl();
  ensemble.Describe(graph);
  return outputs;
}

}  // namespace protium::onnx
