// SPDX-License-Identifier: Apache-2.0
#include "model/drawn_forest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "format/safetensors.h"
#include "model/forest_config.h"
#include "model/model_folder.h"
#include "trees/dependence.h"
#include "trees/explain.h"
#include "trees/forest_file.h"

namespace protium {
namespace {

constexpr size_t kMostDrawn = 6;         // Columns whose dependence is computed.
constexpr size_t kMostNumbers = 40'000;  // Of all of these together.
constexpr int64_t kMostCategories = 20;  // Of a column's dependence.
constexpr size_t kMostNamed = 12;        // Of a split.
constexpr size_t kMostNodes = 1023;      // Of a tree.

// JSON has no infinite numbers: these are texts.
Json Shown(double number) {
  if (!std::isfinite(number)) return number < 0 ? "-∞" : "∞";
  return AllAsNumber<double>(fmt::format("{:.7g}", number)).value_or(number);
}

Status CheckOutputs(const Forest& forest, const Objective& objective, const std::string& where) {
  const bool named = !OfClasses(objective.kind) ||
                     int64_t(objective.classes.size()) >= std::max<int64_t>(objective.outputs(), 2);
  if (!objective.labels.empty() && named && forest.outputs() == objective.outputs()) {
    return Status::OK();
  }
  return Fail({.exit = Exit::kInput,
               .what = "forest and net.json differ in what they predict",
               .where = where});
}

// The positions of the columns whose splits gain something, the one that gains most first; at most
// so many.
std::vector<size_t> ColumnsByGain(const std::vector<double>& gain,
                                  size_t most = std::numeric_limits<size_t>::max()) {
  std::vector<size_t> order(gain.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return gain[a] > gain[b]; });
  std::erase_if(order, [&](size_t column) { return gain[column] <= 0; });
  if (order.size() > most) order.resize(most);
  return order;
}

// What shares are of: above 0.
double TotalOf(const std::vector<double>& gain) {
  return std::max(std::accumulate(gain.begin(), gain.end(), 0.0), 1e-300);
}

// Every so many of them, if there are more than `most`.
std::vector<float> Thinned(const std::vector<float>& all, size_t most) {
  if (all.size() <= most) return all;
  std::vector<float> some;
  for (size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return some;
}

// The nodes of a tree by depth, each with its own; at most kMostNodes.
struct Level {
  int32_t node = 0;
  int32_t depth = 0;
  int32_t left = -1;  // Where its children are in this list; -1: not in it.
};
std::vector<Level> Levels(const Tree& tree) {
  std::vector<Level> levels = {{}};
  for (size_t i = 0; i < levels.size() && levels.size() + 2 <= kMostNodes; ++i) {
    const TreeNode& node = tree.nodes[size_t(levels[i].node)];
    if (node.leaf()) continue;
    const int32_t depth = levels[i].depth + 1;
    levels[i].left = int32_t(levels.size());
    levels.push_back({.node = node.left, .depth = depth});
    levels.push_back({.node = node.left + 1, .depth = depth});
  }
  return levels;
}

// Of the nodes below each node, itself included.
struct Below {
  std::vector<double> mean;  // Of the leaves, by the cover.
  std::vector<int64_t> leaves;
  std::vector<int32_t> depth;
};
Below LookBelow(const Tree& tree) {
  const size_t count = tree.nodes.size();
  Below out{std::vector<double>(count), std::vector<int64_t>(count), std::vector<int32_t>(count)};
  for (size_t i = count; i-- > 0;) {
    const TreeNode& node = tree.nodes[i];
    out.mean[i] = node.value;
    out.leaves[i] = 1;
    if (node.leaf()) continue;
    const size_t left = size_t(node.left), right = left + 1;
    const double share = LeftShare(tree, node);
    out.mean[i] = share * out.mean[left] + (1 - share) * out.mean[right];
    out.leaves[i] = out.leaves[left] + out.leaves[right];
    out.depth[i] = 1 + std::max(out.depth[left], out.depth[right]);
  }
  return out;
}

}  // namespace

Result<std::optional<DrawnForest>> DrawnForest::Read(const std::filesystem::path& model) {
  PT_LET(const ModelFiles files, ReadModelFolder(model));
  PT_LET(const std::optional<NetConfig> config, ReadForestConfig(files));
  if (!config) return std::nullopt;
  PT_LET(const Safetensors file, Safetensors::Read(files.weights));
  DrawnForest drawn;
  PT_LET(drawn.forest_, ForestOf(file, ForestColumns(*config), files.weights.string()));
  PT_TRY(CheckOutputs(drawn.forest_, config->objective, model.string()));
  drawn.outputs_ = WordsOfOutputs(config->objective);
  const auto stages = files.json.find("stages.json");
  drawn.columns_ =
      WordsOfColumns(drawn.forest_.columns, stages == files.json.end() ? Json() : stages->second);
  return drawn;
}

Json DrawnForest::Summary() const {
  int64_t leaves = 0, most = 0, depth = 0;
  for (const Tree& tree : forest_.trees) {
    leaves += tree.leaves();
    most = std::max(most, tree.leaves());
    depth = std::max<int64_t>(depth, LookBelow(tree).depth[0]);
  }
  Json outputs = Json::array(), splits = Json::array();
  for (const OutputWords& each : outputs_) outputs.push_back(each.text);
  const SplitImportance importance = ImportanceOfSplits(forest_);
  const double all = TotalOf(importance.gain);
  for (const size_t column : ColumnsByGain(importance.gain)) {
    splits.push_back({{"column", columns_[column].name},
                      {"gain", Shown(importance.gain[column] / all)},
                      {"splits", importance.splits[column]}});
  }
  const auto is_number = [](const ForestColumn& each) { return each.cardinality == 0; };
  const auto numeric = std::ranges::count_if(forest_.columns, is_number);
  return {{"rounds", forest_.rounds()},
          {"trees", forest_.trees.size()},
          {"leaves", leaves},
          {"most_leaves", most},
          {"depth", depth},
          {"numeric", numeric},
          {"categorical", int64_t(forest_.columns.size()) - numeric},
          {"outputs", std::move(outputs)},
          {"splits", std::move(splits)}};
}

Json DrawnForest::Outline() const {
  int64_t leaves = 0;
  for (const Tree& tree : forest_.trees) leaves = std::max(leaves, tree.leaves());
  Json outputs = Json::array(), mean = Json::array(), dependence = Json::array();
  const ForestExplainer explainer(forest_);
  for (size_t o = 0; o < outputs_.size(); ++o) {
    outputs.push_back(outputs_[o].text);
    mean.push_back(Shown(explainer.mean()[o] * outputs_[o].factor + outputs_[o].offset));
  }
  const std::vector<double> gain = ImportanceOfSplits(forest_).gain;
  const double all = TotalOf(gain);
  for (const size_t column : ColumnsByGain(gain, kMostDrawn)) {
    Json each = {{"column", columns_[column].name}, {"gain", Shown(gain[column] / all)}};
    each.update(DependenceOn(column));
    dependence.push_back(std::move(each));
  }
  return {{"rounds", forest_.rounds()},
          {"trees", forest_.trees.size()},
          {"leaves", leaves},
          {"columns", forest_.columns.size()},
          {"outputs", std::move(outputs)},
          {"mean", std::move(mean)},
          {"dependence", std::move(dependence)}};
}

Json DrawnForest::DependenceOn(size_t column) const {
  const ColumnWords& drawn = columns_[column];
  const size_t most = std::clamp<size_t>(kMostNumbers / kMostDrawn / outputs_.size(), 8, 256);
  std::vector<float> asked;
  Json out = Json::object();
  if (forest_.columns[column].cardinality == 0) {
    asked = Thinned(ThresholdsOf(forest_, int32_t(column)), most);
    Json thresholds = Json::array();
    for (const float each : asked) {
      thresholds.push_back(Shown(double(each) * drawn.factor + drawn.offset));
    }
    out["thresholds"] = std::move(thresholds);
    asked.push_back(std::numeric_limits<float>::max());
  } else {
    const int64_t count = forest_.columns[column].cardinality;
    Json categories = Json::array();
    for (int64_t c = 0; c < std::min(count, kMostCategories); ++c) {
      asked.push_back(float(c));
      categories.push_back(drawn.TextOf(c));
    }
    out["categories"] = std::move(categories);
    out["left_out"] = count - int64_t(asked.size());
  }
  asked.push_back(std::numeric_limits<float>::quiet_NaN());
  const std::vector<double> found = PartialDependence(forest_, int32_t(column), asked);
  Json values = Json::array(), missing = Json::array();
  for (size_t o = 0; o < outputs_.size(); ++o) {
    const auto at = [&](size_t v) {
      return Shown(found[v * outputs_.size() + o] * outputs_[o].factor + outputs_[o].offset);
    };
    Json line = Json::array();
    for (size_t v = 0; v + 1 < asked.size(); ++v) line.push_back(at(v));
    values.push_back(std::move(line));
    missing.push_back(at(asked.size() - 1));
  }
  out["values"] = std::move(values);
  out["missing"] = std::move(missing);
  return out;
}

Json DrawnForest::SplitOf(const Tree& tree, const TreeNode& node) const {
  const ForestColumn& column = forest_.columns[size_t(node.column)];
  const ColumnWords& drawn = columns_[size_t(node.column)];
  Json out = {{"column", drawn.name},
              {"gain", Shown(node.gain)},
              {"missing", node.missing_left ? "left" : "right"}};
  if (column.cardinality == 0) {
    out["threshold"] = Shown(double(node.threshold) * drawn.factor + drawn.offset);
    return out;
  }
  std::vector<std::string> named;
  int64_t count = 0;
  for (int64_t c = 0; c < column.cardinality; ++c) {
    const bool left = tree.Next(node, column, float(c)) == node.left;
    if (left == node.missing_left || ++count > int64_t(kMostNamed)) continue;
    named.push_back(drawn.TextOf(c));
  }
  out["named"] = node.missing_left ? "right" : "left";
  out["categories"] = std::move(named);
  out["category_count"] = count;
  return out;
}

Result<Json> DrawnForest::TreeAt(int64_t at) const {
  const int64_t count = int64_t(forest_.trees.size());
  if (at < 0 || at >= count) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("there is no tree {}; there are {}, from 0 on", at, count)});
  }
  const Tree& tree = forest_.trees[size_t(at)];
  const Below below = LookBelow(tree);
  const double factor = outputs_[size_t(at % forest_.outputs())].factor;
  Json nodes = Json::array();
  for (const Level& level : Levels(tree)) {
    const size_t i = size_t(level.node);
    const TreeNode& node = tree.nodes[i];
    Json each = {{"value", Shown(below.mean[i] * factor)}, {"cover", Shown(node.cover)}};
    if (!node.leaf()) {
      each.update(SplitOf(tree, node));
      if (level.left < 0) {
        each["below"] = below.leaves[i];
      } else {
        each["left"] = level.left;
      }
    }
    nodes.push_back(std::move(each));
  }
  return Json{{"tree", at},
              {"round", at / forest_.outputs() + 1},
              {"output", at % forest_.outputs()},
              {"leaves", tree.leaves()},
              {"depth", below.depth[0]},
              {"nodes", std::move(nodes)}};
}

}  // namespace protium
