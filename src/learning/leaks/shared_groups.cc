// SPDX-License-Identifier: Apache-2.0
#include "leaks/shared_groups.h"

#include <arrow/api.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "leaks/pair_leaks.h"

namespace protium {
namespace {

constexpr int64_t kFewestGroups = 20;
constexpr int64_t kMostGroups = 20'000;  // With more, the values are no longer counted as groups.
constexpr double kMostRowsOfGroup = 20;  // On average; with more each, they are categories.
constexpr double kFewestRowsOfGroup = 2;
constexpr double kLeastAlike = 0.1;
constexpr double kLeastShared = 0.1;  // Of the test rows.
constexpr double kFewestShared = 10;

bool IsWhole(const arrow::DataType& type) {
  return type.id() == arrow::Type::INT32 || type.id() == arrow::Type::INT64;
}

// Whether a name in lower case says of whom rows are: "patient", "customer_no", "seller_user_key".
bool IsCalledAsSomebody(std::string_view name) {
  constexpr std::string_view kNumbers[] = {"_no",  "_nr",   "_num",  "_number",
                                           "_key", "_code", "_uuid", "_guid"};
  constexpr std::string_view kSomebody[] = {
      "client", "customer", "donor",      "driver",  "household", "member",  "participant",
      "person", "patient",  "respondent", "student", "subject",   "visitor", "user"};
  for (const std::string_view number : kNumbers) {
    if (!name.ends_with(number)) continue;
    name.remove_suffix(number.size());
    break;
  }
  return std::ranges::any_of(kSomebody, [&](std::string_view each) {
    if (!name.ends_with(each)) return false;
    const std::string_view before = name.substr(0, name.size() - each.size());
    return before.empty() || before.ends_with('_') || before.ends_with(' ');
  });
}

// The groups and labels of a part's rows.
struct Part {
  std::vector<uint64_t> groups;
  std::vector<double> labels;  // NaN: none.
};

// Of classes, the label becomes whether it is the class that `common` is the hash of.
Result<Part> ReadPart(const arrow::RecordBatchVector& batches, const std::string& group,
                      const std::string& label, std::optional<uint64_t> common) {
  Part part;
  for (const auto& batch : batches) {
    const auto groups = batch->GetColumnByName(group), labels = batch->GetColumnByName(label);
    if (groups == nullptr || labels == nullptr) return Status::Invalid("a column is missing");
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      if (groups->IsNull(row)) continue;
      part.groups.push_back(CellHash(*groups, row));
      const double number = common ? (CellHash(*labels, row) == *common ? 1.0 : 0.0)
                                   : NumberAt(*labels, row).value_or(std::nan(""));
      part.labels.push_back(labels->IsNull(row) ? std::nan("") : number);
    }
  }
  return part;
}

// The hash of the most frequent label.
Result<uint64_t> MostFrequent(const arrow::RecordBatchVector& batches, const std::string& label) {
  std::unordered_map<uint64_t, int64_t> counts;
  for (const auto& batch : batches) {
    const auto labels = batch->GetColumnByName(label);
    if (labels == nullptr) return Status::Invalid("a column is missing");
    for (int64_t row = 0; row < batch->num_rows(); ++row) ++counts[CellHash(*labels, row)];
  }
  const auto most = std::ranges::max_element(
      counts, {}, [](const auto& each) { return std::pair(each.second, each.first); });
  return most == counts.end() ? 0 : most->first;
}

struct GroupSums {
  double rows = 0, sum = 0, squares = 0;
};

// The intraclass correlation by the analysis of variance of one way, ICC(1) of Shrout and Fleiss
// ("Intraclass Correlations", 1979), with the mean size of groups; 0 unless the ratio of variances
// is four of its deviations beyond 1, what chance makes of it.
double IntraclassCorrelation(const Part& part) {
  double rows = 0, mean = 0;
  for (const double label : part.labels) {
    if (!std::isnan(label)) mean += (label - mean) / ++rows;
  }
  std::unordered_map<uint64_t, GroupSums> groups;
  for (size_t i = 0; i < part.groups.size(); ++i) {
    if (std::isnan(part.labels[i])) continue;
    GroupSums& own = groups[part.groups[i]];
    const double label = part.labels[i] - mean;
    ++own.rows;
    own.sum += label;
    own.squares += label * label;
  }
  const auto count = double(groups.size());
  if (count < 2 || rows - count < 1) return 0;
  double between = 0, within = 0;
  for (const auto& [hash, own] : groups) {
    const double part_between = own.sum * own.sum / own.rows;
    between += part_between;
    within += own.squares - part_between;
  }
  between /= count - 1;
  within /= rows - count;
  if (between <= 0) return 0;
  if (within <= 1e-12 * between) return 1;
  const double ratio = between / within;
  const double deviation = std::sqrt(2 / (count - 1) + 2 / (rows - count));
  if (ratio < 1 + 4 * deviation) return 0;
  return (ratio - 1) / (ratio - 1 + rows / count);
}

}  // namespace

bool MayNameGroups(const std::string& name, const arrow::DataType& type) {
  const bool named = IsCalledId(name) || IsCalledAsSomebody(Lower(name));
  return named && (IsWhole(type) || type.id() == arrow::Type::STRING);
}

bool NamesGroups(const TableProfile& table, const ColumnProfile& column) {
  return MayNameGroups(column.name, *column.type) && column.nulls == 0 &&
         column.distinct >= kFewestGroups && column.distinct <= kMostGroups &&
         column.distinct * int64_t(kFewestRowsOfGroup) <= table.rows;
}

bool SharedGroups::telling() const {
  const double each = groups > 0 ? double(rows) / double(groups) : 0;
  return groups >= kFewestGroups && each >= kFewestRowsOfGroup && each <= kMostRowsOfGroup &&
         double(shared_rows) >= std::max(kFewestShared, kLeastShared * double(test_rows)) &&
         alike >= kLeastAlike;
}

Result<SharedGroups> FindSharedGroups(const arrow::RecordBatchVector& train,
                                      const arrow::RecordBatchVector& test,
                                      const std::string& group, const std::string& label,
                                      bool classes) {
  std::optional<uint64_t> common;
  if (classes) {
    PT_LET(common, MostFrequent(train, label));
  }
  PT_LET(const Part seen, ReadPart(train, group, label, common));
  PT_LET(const Part held, ReadPart(test, group, label, common));
  const std::unordered_set<uint64_t> known(seen.groups.begin(), seen.groups.end());
  std::unordered_set<uint64_t> all = known;
  SharedGroups found{.rows = int64_t(seen.groups.size() + held.groups.size()),
                     .test_rows = int64_t(held.groups.size())};
  for (const uint64_t each : held.groups) {
    found.shared_rows += known.contains(each) ? 1 : 0;
    all.insert(each);
  }
  found.groups = int64_t(all.size());
  found.alike = IntraclassCorrelation(seen);
  return found;
}

}  // namespace protium
