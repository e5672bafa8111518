// SPDX-License-Identifier: Apache-2.0
// The states that count values: TextCounts and NumberCounts. Counting is a hash lookup per cell,
// and real columns repeat few texts; a small direct-mapped cache in front (RecentCounters) saves
// most of these lookups.
#include <arrow/array.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <type_traits>

#include "base/fault.h"
#include "column/cells.h"
#include "column/visit.h"
#include "statistics/state.h"

namespace protium {
namespace {

// About 4 GB of counts. A column with more values contains no categories but an identifier.
constexpr size_t kMaxDistinct = 50'000'000;

Status TooMany(const char* what, const char* fix) {
  return Fail({.exit = Exit::kNoRoom,
               .what = std::string("more than 50000000 different ") + what + " in one column",
               .fix = fix});
}

// A direct-mapped cache from values to their counters. It holds pointers into the hash table and
// views into the batch, so it lives for one batch only; an unordered_map never moves its elements,
// so counters stay valid while others are added.
template <class Value>
class RecentCounters {
 public:
  // The counter of `value` if it is cached, else nullptr.
  int64_t* Find(const Value& value) const {
    const Seen& seen = seen_[HashToPlace(value)];
    return seen.count != nullptr && seen.value == value ? seen.count : nullptr;
  }
  void Note(const Value& value, int64_t* count) { seen_[HashToPlace(value)] = {value, count}; }

 private:
  static constexpr int kPlaceBits = 9;  // 512 slots.
  struct Seen {
    Value value{};
    int64_t* count = nullptr;
  };

  // Fibonacci hashing: the top bits of a product with 2^64 / golden ratio.
  static size_t HashToPlace(uint64_t bits) {
    return (bits * 0x9e3779b97f4a7c15u) >> (64 - kPlaceBits);
  }
  // Hashes the length and up to 8 bytes at either end, which is cheaper than hashing all of a long
  // text.
  static size_t HashToPlace(std::string_view text) {
    if (text.empty()) return 0;
    uint64_t first = 0, last = 0;
    const size_t part = std::min(text.size(), sizeof first);
    std::memcpy(&first, text.data(), part);
    std::memcpy(&last, text.data() + text.size() - part, part);
    return HashToPlace(first + 0xd6e8feb86659fd93u * last + text.size());
  }

  std::array<Seen, size_t{1} << kPlaceBits> seen_{};
};

// Adds 1 to the counter of each value that is not missing; returns how many are missing.
template <class Array, class CounterFinder>
Result<int64_t> CountEach(const Array& array, const CounterFinder& find_counter) {
  using Value = decltype(array.GetView(0));
  using Placed = std::conditional_t<std::is_integral_v<Value>, uint64_t, Value>;
  auto recent = std::make_unique<RecentCounters<Placed>>();
  int64_t missing = 0;
  for (int64_t i = 0; i < array.length(); ++i) {
    const bool there = array.IsValid(i);
    const Value value = there ? array.GetView(i) : Value{};
    if (!there) {
      ++missing;
      continue;
    }
    int64_t* count = recent->Find(Placed(value));
    if (count == nullptr) {
      PT_LET(count, find_counter(value));
      recent->Note(Placed(value), count);
    }
    ++*count;
  }
  return missing;
}

// A category's text, identical to the engine's CAST for a Lookup.
std::string FormatValue(bool flag) { return flag ? "true" : "false"; }
std::string_view FormatValue(std::string_view text) { return text; }
template <class Integer>
std::string FormatValue(Integer number) {
  return std::to_string(number);
}

template <class CounterFinder>
Result<int64_t> CountTexts(const arrow::Array& values, const CounterFinder& find_counter) {
  const auto of_text = [&](auto value) { return find_counter(FormatValue(value)); };
  Result<int64_t> missing = 0;
  const auto count = [&](const auto& array) { missing = CountEach(array, of_text); };
  if (VisitAs<arrow::StringArray, arrow::LargeStringArray>(values, count) ||
      VisitWholes(values, count) || VisitUnsigned(values, count)) {
    return missing;
  }
  return Fail(
      {.exit = Exit::kInput, .what = "cannot count values of type " + TypeText(*values.type())});
}

// The counter of a text, created with 0 if it is new.
template <class Counts>
Result<int64_t*> CounterOfText(std::string_view text, Counts& counts) {
  const auto found = counts.find(text);
  if (found != counts.end()) return &found->second;
  // Checked for new texts only, so a column at the limit can still be counted.
  if (counts.size() >= kMaxDistinct) return TooMany("texts", "leave the column out");
  return &counts.emplace(text, 0).first->second;
}

Status TooManyNumbers() {
  return TooMany("numbers", "fill it with = \"mean\" instead of the median");
}

}  // namespace

Status TextCounts::Count(std::string_view text, int64_t count) {
  PT_LET(int64_t* const counter, CounterOfText(text, counts_));
  *counter += count;
  return Status::OK();
}

Status TextCounts::Add(const arrow::Array& values) {
  PT_LET(const int64_t missing,
         CountTexts(values, [&](std::string_view text) { return CounterOfText(text, counts_); }));
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
  return counts_.Add(value, count, kMaxDistinct) ? Status::OK() : TooManyNumbers();
}

Status NumberCounts::Add(const arrow::Array& values) {
  if (values.type_id() != arrow::Type::DOUBLE) return Status::TypeError("numbers must be doubles");
  const auto& array = static_cast<const arrow::DoubleArray&>(values);
  for (int64_t i = 0; i < array.length(); ++i) {
    if (!array.IsValid(i) || std::isnan(array.Value(i))) {
      ++missing_;
    } else if (!counts_.Add(array.Value(i), 1, kMaxDistinct)) {
      return TooManyNumbers();
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

// One walk over the sorted counts serves all ranks.
std::vector<double> NumberCounts::AtRanks(const std::vector<int64_t>& ranks) const {
  std::vector<std::pair<double, int64_t>> sorted;
  sorted.reserve(counts_.size());
  for (const auto& [number, count] : counts_) sorted.emplace_back(number, count);
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> values;
  int64_t before = 0;
  for (const auto& [number, count] : sorted) {
    before += count;
    while (values.size() < ranks.size() && ranks[values.size()] <= before) {
      values.push_back(number);
    }
  }
  PT_CHECK(values.size() == ranks.size());
  return values;
}

// The lower of the two middle values if the number of rows is even: an element of the data needs no
// rounding.
double NumberCounts::Median() const { return AtRanks({(count() + 1) / 2}).front(); }

std::vector<double> NumberCounts::Quantiles(int64_t parts) const {
  std::vector<int64_t> ranks;
  // The ceiling of all * k / parts, in 128 bits: the product of a row count and k may exceed 64.
  const auto all = static_cast<__int128>(count());
  for (int64_t k = 1; k < parts; ++k) ranks.push_back(int64_t((all * k + parts - 1) / parts));
  return AtRanks(ranks);
}

// The rank is the ceiling of the product rounded to double, as in Spark's QuantileSummaries with
// relativeError = 0. An exact product would differ for shares like 0.1 that no double holds.
std::vector<double> NumberCounts::QuantilesAt(std::span<const double> shares) const {
  std::vector<int64_t> ranks;
  const int64_t all = count();
  for (const double share : shares) {
    ranks.push_back(std::clamp<int64_t>(int64_t(std::ceil(share * double(all))), 1, all));
  }
  return AtRanks(ranks);
}

double NumberCounts::Quantile(double share) const { return QuantilesAt({{share}}).front(); }

// The least value wins a tie: the order of a hash table differs from run to run.
double NumberCounts::Mode() const {
  PT_CHECK(!counts_.empty());
  auto most = counts_.begin();
  for (auto each = counts_.begin(); !(each == counts_.end()); ++each) {
    const bool more = each->count > most->count;
    if (more || (each->count == most->count && each->number < most->number)) most = each;
  }
  return most->number;
}

}  // namespace protium
