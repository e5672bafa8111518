// SPDX-License-Identifier: Apache-2.0
// The states that count values.
#include <arrow/array.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/fault.h"
#include "learn/state.h"

namespace protium {
namespace {

// About 4 GB of counts; beyond it a column is no set of categories.
constexpr size_t kMaxDistinct = 50'000'000;

Status TooMany(const char* what, const char* fix) {
  return Fail({.exit = Exit::kNoRoom,
               .what = std::string("more than 50000000 different ") + what + " in one column",
               .fix = fix});
}

// Calls `each` for every valid integer's decimal text; gives the number of NULLs.
template <class Array, class Each>
Result<int64_t> EachInteger(const arrow::Array& values, const Each& each) {
  const auto& array = static_cast<const Array&>(values);
  char text[24];
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) continue;
    const auto end = std::to_chars(text, text + sizeof text, array.Value(i)).ptr;
    PT_TRY(each(std::string_view(text, size_t(end - text))));
  }
  return array.null_count();
}

template <class Array, class Each>
Result<int64_t> EachText(const arrow::Array& values, const Each& each) {
  const auto& array = static_cast<const Array&>(values);
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsValid(i)) PT_TRY(each(array.GetView(i)));
  }
  return array.null_count();
}

template <class Each>
Result<int64_t> EachFlag(const arrow::Array& values, const Each& each) {
  const auto& array = static_cast<const arrow::BooleanArray&>(values);
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsValid(i)) PT_TRY(each(array.Value(i) ? "true" : "false"));
  }
  return array.null_count();
}

template <class Each>
Result<int64_t> EachValue(const arrow::Array& values, const Each& each) {
  switch (values.type_id()) {
    case arrow::Type::STRING:
      return EachText<arrow::StringArray>(values, each);
    case arrow::Type::LARGE_STRING:
      return EachText<arrow::LargeStringArray>(values, each);
    case arrow::Type::BOOL:
      return EachFlag(values, each);
    case arrow::Type::INT8:
      return EachInteger<arrow::Int8Array>(values, each);
    case arrow::Type::INT16:
      return EachInteger<arrow::Int16Array>(values, each);
    case arrow::Type::INT32:
      return EachInteger<arrow::Int32Array>(values, each);
    case arrow::Type::INT64:
      return EachInteger<arrow::Int64Array>(values, each);
    case arrow::Type::UINT8:
      return EachInteger<arrow::UInt8Array>(values, each);
    case arrow::Type::UINT16:
      return EachInteger<arrow::UInt16Array>(values, each);
    case arrow::Type::UINT32:
      return EachInteger<arrow::UInt32Array>(values, each);
    case arrow::Type::UINT64:
      return EachInteger<arrow::UInt64Array>(values, each);
    default:
      return Fail({.exit = Exit::kInput,
                   .what = "cannot count values of type " + values.type()->ToString()});
  }
}

}  // namespace

Status TextCounts::Count(std::string_view text, int64_t count) {
  const auto found = counts_.find(text);
  if (found != counts_.end()) {
    found->second += count;
    return Status::OK();
  }
  if (counts_.size() >= kMaxDistinct) return TooMany("texts", "leave the column out");
  counts_.emplace(text, count);
  return Status::OK();
}

Status TextCounts::Add(const arrow::Array& values) {
  PT_LET(const int64_t missing,
         EachValue(values, [&](std::string_view text) { return Count(text, 1); }));
  missing_ += missing;
  return Status::OK();
}

Status TextCounts::Emit(const EmitRow& emit) const {
  for (const auto& [text, count] : counts_) PT_TRY(emit({.text = text, .count = count}));
  return missing_ == 0 ? Status::OK() : emit({.count = missing_});
}

Status TextCounts::Merge(const StateRow& row) {
  if (row.text) return Count(*row.text, row.count);
  missing_ += row.count;
  return Status::OK();
}

std::vector<std::string> TextCounts::ByFrequency() const {
  std::vector<std::pair<std::string_view, int64_t>> sorted(counts_.begin(), counts_.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::string> keys;
  for (const auto& [text, count] : sorted) keys.emplace_back(text);
  return keys;
}

Status NumberCounts::Count(double value, int64_t count) {
  counts_[value == 0 ? 0.0 : value] += count;
  if (counts_.size() <= kMaxDistinct) return Status::OK();
  return TooMany("numbers", "fill it with = \"mean\" instead of the median");
}

Status NumberCounts::Add(const arrow::Array& values) {
  if (values.type_id() != arrow::Type::DOUBLE) return Status::TypeError("numbers must be doubles");
  const auto& array = static_cast<const arrow::DoubleArray&>(values);
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i) || std::isnan(array.Value(i))) {
      ++missing_;
    } else {
      PT_TRY(Count(array.Value(i), 1));
    }
  }
  return Status::OK();
}

Status NumberCounts::Emit(const EmitRow& emit) const {
  for (const auto& [number, count] : counts_) PT_TRY(emit({.number = number, .count = count}));
  return missing_ == 0 ? Status::OK() : emit({.count = missing_});
}

Status NumberCounts::Merge(const StateRow& row) {
  if (row.number) return Count(*row.number, row.count);
  missing_ += row.count;
  return Status::OK();
}

int64_t NumberCounts::count() const {
  int64_t total = 0;
  for (const auto& [number, count] : counts_) total += count;
  return total;
}

double NumberCounts::Median() const {
  std::vector<std::pair<double, int64_t>> sorted(counts_.begin(), counts_.end());
  std::sort(sorted.begin(), sorted.end());
  int64_t before = (count() - 1) / 2;
  for (const auto& [number, count] : sorted) {
    if (before < count) return number;
    before -= count;
  }
  PT_CHECK(!"a median of nothing");
  return 0;
}

}  // namespace protium
