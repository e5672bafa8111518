// SPDX-License-Identifier: Apache-2.0
#include "leaks/twin_rows.h"

#include <arrow/api.h>

#include <algorithm>
#include <unordered_map>

#include "base/splitmix.h"
#include "leaks/table_profile.h"

namespace protium {
namespace {

constexpr int64_t kFewestTwins = 10;
constexpr double kLeastShare = 0.01;
// Of the disagreement of chance: copies of rows have equal labels, but for a few rows that are
// alike without being copies.
constexpr double kMostOther = 0.05;

// How often each label occurs, by its hash.
using LabelCounts = std::unordered_map<uint64_t, int64_t>;

// Calls `each(inputs, label)` with the hashes of every row.
template <class Each>
Status ForEachRow(const arrow::RecordBatchVector& batches, const std::vector<std::string>& inputs,
                  const std::string& label, const Each& each) {
  for (const auto& batch : batches) {
    std::vector<const arrow::Array*> columns;
    for (const std::string& name : inputs) columns.push_back(batch->GetColumnByName(name).get());
    const auto labels = batch->GetColumnByName(label);
    const bool missing = std::ranges::count(columns, static_cast<const arrow::Array*>(nullptr)) > 0;
    if (missing || labels == nullptr) return Status::Invalid("a column is missing");
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      if (labels->IsNull(row)) continue;
      uint64_t hash = 0;
      for (const arrow::Array* const column : columns) {
        hash = SplitMix(hash + kSplitMixStep) ^ CellHash(*column, row);
      }
      each(hash, CellHash(*labels, row));
    }
  }
  return Status::OK();
}

int64_t SumOf(const LabelCounts& counts) {
  int64_t sum = 0;
  for (const auto& [label, rows] : counts) sum += rows;
  return sum;
}

// The chance that two rows have different labels.
double OtherByChance(const LabelCounts& labels) {
  const auto all = double(SumOf(labels));
  double equal = 0;
  for (const auto& [label, rows] : labels) equal += double(rows) * double(rows);
  return all > 0 ? 1 - equal / (all * all) : 0;
}

}  // namespace

bool TwinRows::telling() const {
  if (twins < kFewestTwins || double(twins) < kLeastShare * double(rows)) return false;
  // So many disagreements would have to be seen by chance, or their absence says nothing.
  constexpr double kFewestExpected = 5;
  if (other_by_chance * double(twins) < kFewestExpected) return false;
  return other_labels <= kMostOther * other_by_chance;
}

Result<TwinRows> FindTwins(const arrow::RecordBatchVector& train,
                           const arrow::RecordBatchVector& test,
                           const std::vector<std::string>& inputs, const std::string& label) {
  std::unordered_map<uint64_t, LabelCounts> seen;
  LabelCounts labels;
  PT_TRY(ForEachRow(train, inputs, label, [&](uint64_t row, uint64_t own) {
    ++seen[row][own];
    ++labels[own];
  }));
  TwinRows found{.other_by_chance = OtherByChance(labels)};
  double others = 0;
  int64_t matched = 0;
  PT_TRY(ForEachRow(test, inputs, label, [&](uint64_t row, uint64_t own) {
    ++found.rows;
    const auto at = seen.find(row);
    if (at == seen.end()) return;
    const auto equal = at->second.find(own);
    const int64_t alike = equal == at->second.end() ? 0 : equal->second;
    found.twins += alike > 0 ? 1 : 0;
    ++matched;
    others += 1 - double(alike) / double(SumOf(at->second));
  }));
  if (matched > 0) found.other_labels = others / double(matched);
  return found;
}

}  // namespace protium
