// SPDX-License-Identifier: Apache-2.0
#include "statistics/positive_counts.h"

#include <arrow/array.h>

#include "base/fault.h"
#include "statistics/lists.h"

namespace protium {
namespace {

constexpr int64_t kMostPositions = 1'000'000;

}  // namespace

Status PositiveCounts::Add(const arrow::Array& lists) {
  PT_LET(const NumberLists numbers, NumberLists::Of(lists));
  for (int64_t row = 0; row < numbers.rows(); ++row) {
    if (numbers.IsNull(row)) continue;
    const std::span<const double> list = numbers.At(row);
    if (rows_ == 0) counts_.resize(list.size());
    if (list.size() != counts_.size()) {
      return Fail({.exit = Exit::kInput,
                   .what = "its lists have different lengths, such as " +
                           std::to_string(counts_.size()) + " and " + std::to_string(list.size())});
    }
    ++rows_;
    for (size_t i = 0; i < list.size(); ++i) counts_[i] += list[i] > 0 ? 1 : 0;
  }
  return Status::OK();
}

Status PositiveCounts::Emit(const EmitRow& emit) const {
  for (size_t i = 0; i < counts_.size(); ++i) {
    PT_TRY(emit({.number = double(i), .count = counts_[i]}));
  }
  return rows_ == 0 ? Status::OK() : emit({.count = rows_});
}

// If workers' lists differ in length, the stage detects it; it knows what the length must be.
Status PositiveCounts::Merge(const StateRow& row) {
  if (!row.number) {
    rows_ += row.count;
    return Status::OK();
  }
  const bool sound = *row.number >= 0 && *row.number < double(kMostPositions);
  if (!sound) return Status::Invalid("a count of no position");
  const auto at = static_cast<size_t>(*row.number);
  if (at >= counts_.size()) counts_.resize(at + 1);
  counts_[at] += row.count;
  return Status::OK();
}

}  // namespace protium
