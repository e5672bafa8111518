// SPDX-License-Identifier: Apache-2.0
// States: what one pass finds out about columns. A state is filled by Add() in worker processes,
// travels to the driver as rows through Emit(), and is combined there by Merge().
//
// 1. Counting and exact sums (base/exact_sum.h) commute, so the order and the partitioning of the
//    rows do not change a single bit of a state's results.
// 2. An empty state is neutral: merging it changes nothing.
// 3. Results that order values (ByFrequency, Median) break ties by value, never by arrival.
#pragma once

#include <arrow/array.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/exact_sum.h"
#include "base/json.h"
#include "base/status.h"
#include "protium/fields.h"
#include "statistics/column_profiles.h"
#include "statistics/group_numbers.h"
#include "statistics/number_counts.h"
#include "statistics/positive_counts.h"
#include "statistics/products.h"
#include "statistics/token_counts.h"

namespace protium {

// How often each text occurs; integers and booleans are counted by their text. Only NULL is
// missing. Emits one row per text, and one without text for the missing. At most 50 million
// distinct texts; beyond, Add() and Merge() fail with Exit::kNoRoom.
class TextCounts {
 public:
  Status Add(const arrow::Array& values);
  Status Emit(const EmitRow& emit) const;
  Status Merge(const StateRow& row);
  int64_t missing() const { return missing_; }
  // 0 for a text that did not occur.
  int64_t FindCount(std::string_view text) const {
    const auto found = counts_.find(text);
    return found == counts_.end() ? 0 : found->second;
  }
  // Most frequent first, ties by bytes.
  std::vector<std::string> ByFrequency() const;

 private:
  Status Count(std::string_view text, int64_t count);

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, int64_t, Hash, std::equal_to<>> counts_;
  int64_t missing_ = 0;
};

// Mean, deviation and extremes. NULL and NaN are missing; an infinite value is refused. Emits a
// single row with the exact sums as JSON.
class Moments {
 public:
  Status Add(const arrow::Array& values);  // Of doubles.
  Status Emit(const EmitRow& emit) const;
  Status Merge(const StateRow& row);
  // The same, bit for bit, as Add() with `times` cells of this finite value.
  void AddTimes(double value, int64_t times);
  int64_t count() const { return count_; }
  int64_t missing() const { return missing_; }
  double Mean() const;
  // The extremes; 0 if count() is 0. Adding 0.0 turns -0.0 into 0.0: saved values must not show
  // which of the two came first.
  double Low() const { return low_ + 0.0; }
  double High() const { return high_ + 0.0; }
  // The sample deviation (divisor n - 1); 0 for a constant column and for a single value.
  double Deviation() const;

 private:
  int64_t count_ = 0;
  int64_t missing_ = 0;
  double low_ = 0;
  double high_ = 0;
  ExactSum sum_;
  ExactSum squares_;
};

// Moments of ln(1 + x), which exists for x above -1; other values are counted. ln(1 + x) is
// StrictLog1p() of base/strict_math.h, the same on every machine. Emits a single row.
class LogMoments {
 public:
  Status Add(const arrow::Array& values);  // Of doubles.
  Status Emit(const EmitRow& emit) const;
  Status Merge(const StateRow& row);
  const Moments& moments() const { return moments_; }
  int64_t outside() const { return outside_; }  // How many values are -1 or less.
  double lowest() const { return lowest_; }     // The least of these; -1 if there are none.

 private:
  Moments moments_;
  int64_t outside_ = 0;
  double lowest_ = -1;
};

// Least squares of y on x, over the rows that have both: the straight-line baseline of an
// estimator. Emits a single row, as Moments does.
class Line {
 public:
  Status Add(const arrow::Array& x, const arrow::Array& y);  // Of doubles.
  Status Emit(const EmitRow& emit) const;
  Status Merge(const StateRow& row);
  int64_t count() const { return count_; }
  double Slope() const;  // 0 if x is constant.
  double Intercept() const;

 private:
  int64_t count_ = 0;
  ExactSum x_, y_, xx_, xy_;
};

// Count and exact sum of a number for each text and each part of the rows (Stage::parts); NULL is a
// text of its own. Rows whose number is NULL or NaN, or whose part is NULL, are left out. Emits one
// row per text and part. At most 50,000 rows (Exit::kNoRoom).
class GroupSums {
 public:
  struct Sum {
    int64_t count = 0;
    ExactSum sum;
  };
  // `texts` are strings, `values` and `parts` doubles: the fit task casts every number to double.
  Status Add(const arrow::Array& texts, const arrow::Array& values, const arrow::Array& parts);
  Status Emit(const EmitRow& emit) const;
  Status Merge(const StateRow& row);
  // Ascending by text, NULL first, then by part.
  const std::map<std::optional<std::string>, std::map<int64_t, Sum>>& sums() const { return sums_; }

 private:
  Result<Sum*> Find(const std::optional<std::string>& text, int64_t part);

  std::map<std::optional<std::string>, std::map<int64_t, Sum>> sums_;
  size_t kept_ = 0;  // How many sums, over all texts.
};

using State = std::variant<TextCounts, NumberCounts, Moments, Line, GroupSums, GroupNumbers,
                           TokenCounts, PositiveCounts, Products, LogMoments, ColumnProfiles>;

// The alternatives of State, in order. kLine reads two columns, x then y; kGroups three: text,
// number and part; kGroupNumbers the columns of the key and then the number; kProfile any; each of
// the others one, which is a list for kTokens, kPositive and kProducts.
enum class StateKind {
  kTexts,
  kNumbers,
  kMoments,
  kLine,
  kGroups,
  kGroupNumbers,
  kTokens,
  kPositive,
  kProducts,
  kLogMoments,
  kProfile
};
inline EnumNames<StateKind> Names(StateKind) {
  return {{{StateKind::kTexts, "texts"},
           {StateKind::kNumbers, "numbers"},
           {StateKind::kMoments, "moments"},
           {StateKind::kLine, "line"},
           {StateKind::kGroups, "groups"},
           {StateKind::kGroupNumbers, "group_numbers"},
           {StateKind::kTokens, "tokens"},
           {StateKind::kPositive, "positive"},
           {StateKind::kProducts, "products"},
           {StateKind::kLogMoments, "log_moments"},
           {StateKind::kProfile, "profile"}}};
}
State MakeState(StateKind kind);

// A state that a pass is to fill, and the columns to fill it from, as many as its kind reads.
struct Need {
  StateKind kind = StateKind::kMoments;
  std::vector<std::string> columns;
  bool operator==(const Need&) const = default;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("kind", kind);
    visit("columns", columns);
  }
};

}  // namespace protium
