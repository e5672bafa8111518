// SPDX-License-Identifier: Apache-2.0
// One tree of XGBoost's JSON, checked: the part of reading that knows its lists.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium::xgboost {

// Faults for text that makes no sense, and for models that a forest cannot say.
Status Bad(const std::string& what);
Status CannotTake(const std::string& what, const std::string& fix);

// Looks up a path of keys; null if there is nothing.
const Json& At(const Json& json, std::initializer_list<const char*> path);
// A whole number that is written as a text, as parameters are.
Result<int64_t> Whole(const Json& json, const char* key, int64_t otherwise);

// What a column's categories are called, by their index: texts, as UTF-8 one behind the other, or
// whole numbers. Empty for none.
Result<std::vector<std::string>> CategoryNames(const Json& encoding);

// Every list has one entry per node. Positions of children and columns may lie anywhere yet.
class TreeJson {
 public:
  static Result<TreeJson> Of(const Json& json);

  size_t size() const { return nodes_; }
  bool Leaf(size_t i) const { return left_[i] < 0; }
  bool Categorical(size_t i) const { return !Leaf(i) && types_[i] == 1; }
  double left(size_t i) const { return left_[i]; }
  double right(size_t i) const { return right_[i]; }
  double column(size_t i) const { return columns_[i]; }
  // The threshold of a split, or the value of a leaf.
  float condition(size_t i) const;
  bool missing_left(size_t i) const { return defaults_[i] != 0; }
  double gain(size_t i) const { return gains_[i]; }
  double cover(size_t i) const { return covers_[i]; }
  // The categories that go right, each from 0 to kMostCarriedCategories - 1.
  std::span<const double> set(size_t i) const {
    return std::span(categories_).subspan(starts_[i], sizes_[i]);
  }

 private:
  Status Read(const Json& json, const char* key, std::vector<double>& out, bool optional = false);
  Status ReadSets(const Json& json);

  size_t nodes_ = 0;
  std::vector<double> left_, right_, columns_, conditions_, defaults_, types_, gains_, covers_;
  std::vector<double> categories_;
  std::vector<size_t> starts_, sizes_;  // Of each node's set.
};

}  // namespace protium::xgboost
