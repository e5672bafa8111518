// SPDX-License-Identifier: Apache-2.0
#include "trees/lightgbm_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/fault.h"
#include "base/text.h"
#include "trees/carried_forest.h"

namespace protium::lightgbm {

Status Bad(const std::string& what) {
  return Fail(
      {.exit = Exit::kInput, .what = "this is not a model of LightGBM that makes sense: " + what});
}

Status CannotTake(const std::string& what, const std::string& fix) {
  return Fail({.exit = Exit::kUsage, .what = what + " cannot be imported as trees", .fix = fix});
}

Lines TakeLines(std::string_view& text, std::string_view ends) {
  Lines lines;
  while (!text.empty() && !text.starts_with(ends)) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trimmed(text.substr(0, end));
    const size_t equals = line.find('=');
    const std::string_view value = equals < line.size() ? line.substr(equals + 1) : "";
    if (!line.empty()) lines[line.substr(0, equals)] = value;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = Trimmed(line)).empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

Result<int64_t> Whole(const Lines& lines, std::string_view key) {
  const auto found = lines.find(key);
  const auto number = found == lines.end() ? std::nullopt : AllAsNumber<int64_t>(found->second);
  return number ? Result<int64_t>(*number) : Bad(fmt::format("it has no number {}", key));
}

namespace {

// A list of numbers, of the given length; an optional one that is missing is all 0.
template <class T>
Status Read(const Lines& lines, std::string_view key, size_t length, std::vector<T>& out,
            bool optional = false) {
  const auto found = lines.find(key);
  if (found == lines.end() && optional) {
    out.resize(length);
    return Status::OK();
  }
  for (const std::string_view word : Words(found == lines.end() ? "" : found->second)) {
    const auto number = AllAsNumber<T>(word);
    if (!number || number != number) return Bad(fmt::format("{} has \"{}\"", key, word));
    out.push_back(*number);
  }
  if (out.size() == length) return Status::OK();
  return Bad(fmt::format("{} has {} entries instead of {}", key, out.size(), length));
}

}  // namespace

Result<TreeLists> TreeLists::Of(const Lines& lines) {
  PT_LET(const int64_t leaves, Whole(lines, "num_leaves"));
  PT_LET(const int64_t sets, Whole(lines, "num_cat"));
  // A leaf takes two bytes of text at least; lists are compared with these lengths.
  if (leaves < 1 || leaves > INT32_MAX / 2) return Bad(fmt::format("{} leaves", leaves));
  if (sets < 0 || sets >= leaves) return Bad(fmt::format("{} sets of categories", sets));
  const auto linear = lines.find("is_linear");
  if (linear != lines.end() && linear->second != "0") {
    return CannotTake("linear trees", "train with linear_tree=false");
  }
  TreeLists tree;
  PT_TRY(Read(lines, "leaf_value", size_t(leaves), tree.values));
  const size_t splits = size_t(leaves) - 1;
  if (splits == 0) {
    tree.leaf_weights.resize(1);
    return tree;
  }
  PT_TRY(Read(lines, "split_feature", splits, tree.columns));
  PT_TRY(Read(lines, "decision_type", splits, tree.types));
  PT_TRY(Read(lines, "left_child", splits, tree.left));
  PT_TRY(Read(lines, "right_child", splits, tree.right));
  PT_TRY(Read(lines, "threshold", splits, tree.thresholds));
  PT_TRY(Read(lines, "split_gain", splits, tree.gains, true));
  PT_TRY(Read(lines, "internal_weight", splits, tree.weights, true));
  PT_TRY(Read(lines, "leaf_weight", size_t(leaves), tree.leaf_weights, true));
  if (sets > 0) {
    PT_TRY(Read(lines, "cat_boundaries", size_t(sets) + 1, tree.bounds));
    const int64_t words = std::clamp<int64_t>(tree.bounds.back(), 0, kMostSetWords);
    PT_TRY(Read(lines, "cat_threshold", size_t(words), tree.words));
  }
  PT_TRY(tree.CheckTypes());
  PT_TRY(tree.CheckSets());
  return tree;
}

Status TreeLists::CheckTypes() const {
  for (size_t i = 0; i < types.size(); ++i) {
    const int64_t missing = types[i] >> 2;
    if (types[i] < 0 || missing > 2) return Bad(fmt::format("decision_type {}", types[i]));
    if (!Categorical(i) && missing == 1) {
      return CannotTake("trees that take zeros as missing",
                        "train with zero_as_missing=false, and pass NaN for what is missing");
    }
  }
  return Status::OK();
}

Status TreeLists::CheckSets() const {
  for (size_t i = 0; i + 1 < bounds.size(); ++i) {
    if (bounds[i] < 0 || bounds[i] > bounds[i + 1]) return Bad("a set of less than no categories");
    if ((bounds[i + 1] - bounds[i]) * 32 > kMostCarriedCategories) {
      return Bad(fmt::format("a set of more than {} categories", kMostCarriedCategories));
    }
  }
  for (size_t i = 0; i < splits(); ++i) {
    const double sets = double(bounds.size()) - 1;
    if (Categorical(i) && !(thresholds[i] >= 0 && thresholds[i] < sets)) {
      return Bad("a split on a set that does not exist");
    }
  }
  return Status::OK();
}

bool TreeLists::MissingLeft(size_t split) const {
  if (Categorical(split)) return false;
  return types[split] >> 2 == 2 ? (types[split] & 2) != 0 : 0 <= thresholds[split];
}

std::span<const uint32_t> TreeLists::Set(size_t split) const {
  const auto set = size_t(thresholds[split]);
  return std::span(words).subspan(size_t(bounds[set]), size_t(bounds[set + 1] - bounds[set]));
}

}  // namespace protium::lightgbm
