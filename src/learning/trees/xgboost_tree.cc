// SPDX-License-Identifier: Apache-2.0
#include "trees/xgboost_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/fault.h"
#include "base/text.h"
#include "trees/carried_forest.h"

namespace protium::xgboost {

Status Bad(const std::string& what) {
  return Fail(
      {.exit = Exit::kInput, .what = "this is not a model of XGBoost that makes sense: " + what});
}
Status CannotTake(const std::string& what, const std::string& fix) {
  return Fail({.exit = Exit::kUsage, .what = what + " cannot be imported as trees", .fix = fix});
}

// Looks a path of keys up; null if there is nothing.
const Json& At(const Json& json, std::initializer_list<const char*> path) {
  static const Json kNothing;
  const Json* at = &json;
  for (const char* key : path) {
    if (!at->is_object()) return kNothing;
    const auto found = at->find(key);
    if (found == at->end()) return kNothing;
    at = &*found;
  }
  return *at;
}

// Numbers of parameters are texts.
Result<int64_t> Whole(const Json& json, const char* key, int64_t otherwise) {
  const Json& value = At(json, {key});
  if (value.is_null()) return otherwise;
  const auto number =
      value.is_string() ? AllAsNumber<int64_t>(value.get_ref<const std::string&>()) : std::nullopt;
  return number ? Result<int64_t>(*number) : Bad(fmt::format("{} is not a number", key));
}

namespace {

// Numbers of a list, none beyond those that float32 and int32 hold.
Status Numbers(const Json& json, const char* key, std::vector<double>& out) {
  const Json& list = At(json, {key});
  if (!list.is_null() && !list.is_array()) return Bad(fmt::format("{} is not a list", key));
  for (const Json& each : list) {
    if (!each.is_number() && !each.is_boolean()) return Bad(fmt::format("{} has no numbers", key));
    out.push_back(each.is_boolean() ? double(each.get<bool>()) : each.get<double>());
    if (!(std::abs(out.back()) <= 1e39)) return Bad(fmt::format("{} of {}", key, out.back()));
  }
  return Status::OK();
}

}  // namespace

Result<std::vector<std::string>> CategoryNames(const Json& encoding) {
  std::vector<double> ends, values;
  PT_TRY(Numbers(encoding, "offsets", ends));
  PT_TRY(Numbers(encoding, "values", values));
  std::vector<std::string> names;
  if (!At(encoding, {"type"}).is_null()) {
    for (const double each : values) {
      if (each != std::floor(each)) return Bad("a category that is not a whole number");
      names.push_back(fmt::format("{:.0f}", each));
    }
    return names;
  }
  for (size_t i = 0; i + 1 < ends.size(); ++i) {
    const bool inside =
        ends[i] >= 0 && ends[i] <= ends[i + 1] && ends[i + 1] <= double(values.size());
    if (!inside) return Bad("names of categories lie outside the text");
    std::string& name = names.emplace_back();
    for (auto at = size_t(ends[i]); at < size_t(ends[i + 1]); ++at) {
      name.push_back(static_cast<char>(int32_t(std::clamp(values[at], -128.0, 255.0))));
    }
  }
  return names;
}

Result<TreeJson> TreeJson::Of(const Json& json) {
  TreeJson tree;
  if (At(json, {"tree_param", "size_leaf_vector"}).is_string()) {
    PT_LET(const int64_t width, Whole(At(json, {"tree_param"}), "size_leaf_vector", 1));
    if (width > 1) {
      return CannotTake("trees with a vector in each leaf",
                        "train with multi_strategy=one_output_per_tree");
    }
  }
  tree.nodes_ = At(json, {"left_children"}).size();
  PT_TRY(tree.Read(json, "left_children", tree.left_));
  PT_TRY(tree.Read(json, "right_children", tree.right_));
  PT_TRY(tree.Read(json, "split_indices", tree.columns_));
  PT_TRY(tree.Read(json, "split_conditions", tree.conditions_));
  PT_TRY(tree.Read(json, "default_left", tree.defaults_));
  PT_TRY(tree.Read(json, "split_type", tree.types_, true));
  PT_TRY(tree.Read(json, "loss_changes", tree.gains_, true));
  PT_TRY(tree.Read(json, "sum_hessian", tree.covers_, true));
  PT_TRY(tree.ReadSets(json));
  return tree;
}

float TreeJson::condition(size_t i) const {
  const double value = conditions_[i];
  if (std::abs(value) <= std::numeric_limits<float>::max()) return float(value);
  return float(std::copysign(std::numeric_limits<float>::infinity(), value));
}

Status TreeJson::Read(const Json& json, const char* key, std::vector<double>& out, bool optional) {
  PT_TRY(Numbers(json, key, out));
  if (optional && out.empty()) out.resize(nodes_);
  if (out.size() == nodes_ && nodes_ > 0) return Status::OK();
  return Bad(fmt::format("{} has {} entries for {} nodes", key, out.size(), nodes_));
}

Status TreeJson::ReadSets(const Json& json) {
  std::vector<double> nodes, starts, sizes;
  PT_TRY(Numbers(json, "categories", categories_));
  PT_TRY(Numbers(json, "categories_nodes", nodes));
  PT_TRY(Numbers(json, "categories_segments", starts));
  PT_TRY(Numbers(json, "categories_sizes", sizes));
  starts_.resize(nodes_);
  sizes_.resize(nodes_);
  for (const double each : categories_) {
    if (!(each >= 0 && each < double(kMostCarriedCategories))) {
      return Bad(fmt::format("a category of {}; the most is {}", each, kMostCarriedCategories - 1));
    }
  }
  if (starts.size() != nodes.size() || sizes.size() != nodes.size()) {
    return Bad("lists of categories differ in length");
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const double most = double(categories_.size());
    const bool inside = nodes[i] >= 0 && nodes[i] < double(nodes_) && starts[i] >= 0 &&
                        sizes[i] >= 0 && starts[i] + sizes[i] <= most;
    if (!inside) return Bad("a set of categories lies outside the list");
    starts_[size_t(nodes[i])] = size_t(starts[i]);
    sizes_[size_t(nodes[i])] = size_t(sizes[i]);
  }
  return Status::OK();
}

}  // namespace protium::xgboost
