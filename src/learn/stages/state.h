// SPDX-License-Identifier: Apache-2.0
// What stages find out about columns. A state is filled in worker processes, travels as rows and
// is merged in the driver; neither the order nor the partition of the rows changes the outcome.
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
#include "base/fields.h"
#include "base/json.h"
#include "base/status.h"

namespace protium {

// A piece of a state on its way to the driver. What the members mean is the state's own matter.
struct StateRow {
  std::optional<std::string> text;
  std::optional<double> number;
  int64_t count = 0;
};
using EmitRow = std::function<Status(const StateRow&)>;

// How often each text occurs; of integers and booleans, their text.
class TextCounts {
 public:
  Status Add(const arrow::Array& values);
  Status Emit(const EmitRow& emit) const;
  Status Merge(const StateRow& row);
  int64_t missing() const { return missing_; }
  int64_t CountOf(std::string_view text) const {
    const auto found = counts_.find(text);
    return found == counts_.end() ? 0 : found->second;
  }
  // Most frequent first, equals by value.
  std::vector<std::string> ByFrequency() const;

 private:
  Status Count(std::string_view text, int64_t count);

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, int64_t, Hash, std::equal_to<>> counts_;
  int64_t missing_ = 0;
};

// How often each number occurs; NULL and NaN are missing, -0.0 is 0.0.
class NumberCounts {
 public:
  Status Add(const arrow::Array& values);  // Of doubles.
  Status Emit(const EmitRow& emit) const;
  Status Merge(const StateRow& row);
  int64_t count() const;  // Of those not missing.
  // The lower element in the middle; count() must not be 0.
  double Median() const;
  int64_t missing() const { return missing_; }
  const std::unordered_map<double, int64_t>& counts() const { return counts_; }

 private:
  Status Count(double value, int64_t count);

  std::unordered_map<double, int64_t> counts_;
  int64_t missing_ = 0;
};

// Mean and deviation; NULL and NaN are missing.
class Moments {
 public:
  Status Add(const arrow::Array& values);  // Of doubles.
  Status Emit(const EmitRow& emit) const;
  Status Merge(const StateRow& row);
  // The same as Add() of so many cells of this value, which is finite.
  void AddTimes(double value, int64_t times);
  int64_t count() const { return count_; }
  int64_t missing() const { return missing_; }
  double Mean() const;
  // The extremes; 0 where count() is. Never -0.0, which is 0.0 to whoever compares.
  double Low() const { return low_ + 0.0; }
  double High() const { return high_ + 0.0; }
  // Of n - 1; 0 for a constant column and for a single value.
  double Deviation() const;

 private:
  int64_t count_ = 0;
  int64_t missing_ = 0;
  double low_ = 0;
  double high_ = 0;
  ExactSum sum_;
  ExactSum squares_;
};

// Least squares of y on x, over the rows that have both.
class Line {
 public:
  Status Add(const arrow::Array& x, const arrow::Array& y);  // Of doubles.
  Status Emit(const EmitRow& emit) const;
  Status Merge(const StateRow& row);
  int64_t count() const { return count_; }
  double Slope() const;  // 0 where x is constant.
  double Intercept() const;

 private:
  int64_t count_ = 0;
  ExactSum x_, y_, xx_, xy_;
};

using State = std::variant<TextCounts, NumberCounts, Moments, Line>;

// The kinds of State in its order; kLine looks at two columns.
enum class StateKind { kTexts, kNumbers, kMoments, kLine };
inline EnumNames<StateKind> Names(StateKind) {
  return {{{StateKind::kTexts, "texts"},
           {StateKind::kNumbers, "numbers"},
           {StateKind::kMoments, "moments"},
           {StateKind::kLine, "line"}}};
}
State MakeState(StateKind kind);

// A state over columns that one pass is to fill.
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
