// SPDX-License-Identifier: Apache-2.0
// One tree of LightGBM's text, checked: the part of reading that knows its lists.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace protium::lightgbm {

// Faults for text that makes no sense, and for models that a forest cannot say.
Status Bad(const std::string& what);
Status CannotTake(const std::string& what, const std::string& fix);

// Lines "key=value"; of equal keys the last one counts.
using Lines = std::map<std::string_view, std::string_view>;
// Takes lines from the text up to the first that `ends` begins, which stays; all, if none does.
Lines TakeLines(std::string_view& text, std::string_view ends);
// The words of a line.
std::vector<std::string_view> Words(std::string_view line);
Result<int64_t> Whole(const Lines& lines, std::string_view key);

// Splits and leaves; a child of 0 or more is a split, -1 the first leaf. Children and columns may
// lie anywhere yet.
struct TreeLists {
  static Result<TreeLists> Of(const Lines& lines);
  size_t splits() const { return columns.size(); }
  bool Categorical(size_t split) const { return (types[split] & 1) != 0; }
  // Where NaN goes at a threshold: LightGBM takes it for 0 if training saw none.
  bool MissingLeft(size_t split) const;
  // The words of the set of a split on categories, of which those with a bit go left.
  std::span<const uint32_t> Set(size_t split) const;

  std::vector<int64_t> columns, types, left, right;
  std::vector<double> thresholds, gains, weights;
  std::vector<double> values, leaf_weights;
  std::vector<int64_t> bounds;
  std::vector<uint32_t> words;

 private:
  Status CheckTypes() const;
  Status CheckSets() const;
};

}  // namespace protium::lightgbm
