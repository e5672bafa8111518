// SPDX-License-Identifier: Apache-2.0
#include "leaks/other_rows.h"

#include <arrow/api.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "leaks/pair_leaks.h"
#include "leaks/table_profile.h"

namespace protium {
namespace {

constexpr int64_t kFewestChanges = 50;
constexpr int64_t kPerOther = 20;
constexpr size_t kMostMeans = 10'000;
constexpr int64_t kFewestMeans = 8;
constexpr double kOfSpread =
    0.01;  // What rounding leaves of a mean, as a share of its labels' range.

// Equal for numbers of different types that are equal.
std::optional<uint64_t> ValueOf(const arrow::Array& column, int64_t row) {
  if (IsMissing(column, row)) return std::nullopt;
  const auto number = NumberAt(column, row);
  return number ? std::bit_cast<uint64_t>(*number + 0.0) : CellHash(column, row);
}

}  // namespace

void NextLabel::Read(const arrow::Array& column, const arrow::Array& labels, int64_t row) {
  const auto label = ValueOf(labels, row);
  if (cell_ && label) {
    ++rows_;
    wrong_ += cell_ != label ? 1 : 0;
    changes_ += label_ != label ? 1 : 0;
  }
  cell_ = ValueOf(column, row);
  label_ = label;
}

bool NextLabel::telling() const {
  return changes_ >= kFewestChanges && wrong_ * kPerOther <= changes_;
}

void GroupMean::Read(double value, double label) {
  if (many_) return;
  Group& group = groups_[value];
  group.least = group.rows == 0 ? label : std::min(group.least, label);
  group.greatest = group.rows == 0 ? label : std::max(group.greatest, label);
  ++group.rows;
  group.sum += label;
  many_ = groups_.size() > kMostMeans;
  if (many_) groups_.clear();
}

bool GroupMean::telling(bool classes) const {
  if (many_ || groups_.empty()) return false;
  int64_t several = 0, mean = 0, other = 0;
  for (const auto& [value, group] : groups_) {
    if (group.rows < 2 || group.least == group.greatest) continue;
    ++several;
    const double own = group.sum / double(group.rows);
    const double near = kOfSpread * (group.greatest - group.least);
    mean += std::abs(own - value) <= near ? 1 : 0;
    other += classes && std::abs(1 - own - value) <= near ? 1 : 0;
  }
  return several >= kFewestMeans && std::max(mean, other) * kPerOther >= several * (kPerOther - 1);
}

}  // namespace protium
