// SPDX-License-Identifier: Apache-2.0
// The states that add: Moments and Line. They hold exact sums of x, x*x and x*y, and everything is
// exact until the last division. The textbook formula E[x^2] - E[x]^2, which cancels badly in
// floating point, is therefore safe here: a deviation of 1 around a mean of 1e12 is computed as 1.
#include <arrow/array.h>

#include <algorithm>
#include <cmath>

#include "base/fault.h"
#include "statistics/exact_mean.h"
#include "statistics/state.h"

namespace protium {
namespace {

Result<const arrow::DoubleArray*> Doubles(const arrow::Array& values) {
  if (values.type_id() != arrow::Type::DOUBLE) return Status::TypeError("numbers must be doubles");
  return static_cast<const arrow::DoubleArray*>(&values);
}

bool Has(const arrow::DoubleArray& array, int64_t i) {
  return array.IsValid(i) && !std::isnan(array.Value(i));
}

struct MomentSums {
  int64_t count = 0;
  int64_t missing = 0;
  double low = 0;
  double high = 0;
  Json sum;
  Json squares;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("count", count);
    visit("missing", missing);
    visit("low", low);
    visit("high", high);
    visit("sum", sum);
    visit("squares", squares);
  }
};

struct LineSums {
  int64_t count = 0;
  Json x, y, xx, xy;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("count", count);
    visit("x", x);
    visit("y", y);
    visit("xx", xx);
    visit("xy", xy);
  }
};

// Reads the sums of a state row. It has crossed a process boundary, so anything else is a fault.
template <class Sums>
Result<Sums> ReadSums(const StateRow& row) {
  PT_LET(const Json json, ParseJson(row.text.value_or("")));
  Sums sums;
  PT_TRY(FieldsFromJson(json, "state", sums));
  return sums;
}

// Adds `times` times the square of `x` to a sum.
void AddSquares(double x, double times, ExactSum& sum) {
  // Within this range the square is exactly the sum of two doubles, x * x and the rounding error
  // that fma returns: the first does not overflow, and the lowest bit of a square, 2^-1064 at
  // least, is still a (subnormal) double.
  constexpr double kLeast = 0x1p-480, kMost = 0x1p500;
  if (x == 0 || (std::fabs(x) >= kLeast && std::fabs(x) <= kMost)) {
    const double near = x * x;
    sum.AddProduct(near, times);
    return sum.AddProduct(std::fma(x, x, -near), times);
  }
  ExactSum square;
  square.AddProduct(x, x);
  sum.AddScaled(square, times);
}

Status MergeSum(const Json& json, ExactSum& into) {
  PT_LET(const ExactSum sum, ExactSum::FromJson(json));
  into.Merge(sum);
  return Status::OK();
}

}  // namespace

// One infinite value would make the mean and the deviation useless. It fails here, where the caller
// can still name the column (AddBatch in pipeline/fit_task.cc).
Status Moments::Add(const arrow::Array& values) {
  PT_LET(const arrow::DoubleArray* array, Doubles(values));
  double low = low_, high = high_;
  for (int64_t i = 0; i < array->length(); ++i) {
    if (!Has(*array, i)) {
      ++missing_;
      continue;
    }
    const double x = array->Value(i);
    if (std::isinf(x)) return Fail({.exit = Exit::kInput, .what = "an infinite value"});
    // Extremes begin with a value, not with infinity, which would appear in the state of no rows.
    if (count_++ == 0) low = high = x;
    low = std::min(low, x);
    high = std::max(high, x);
    sum_.Add(x);
    squares_.AddProduct(x, x);
  }
  low_ = low;
  high_ = high;
  return Status::OK();
}

Status Moments::Emit(const EmitRow& emit) const {
  const MomentSums sums{count_, missing_, low_, high_, sum_.ToJson(), squares_.ToJson()};
  return emit({.text = Dump(FieldsToJson(sums)), .count = count_});
}

Status Moments::Merge(const StateRow& row) {
  PT_LET(const MomentSums sums, ReadSums<MomentSums>(row));
  missing_ += sums.missing;
  if (sums.count == 0) return Status::OK();
  low_ = count_ == 0 ? sums.low : std::min(low_, sums.low);
  high_ = count_ == 0 ? sums.high : std::max(high_, sums.high);
  count_ += sums.count;
  PT_TRY(MergeSum(sums.sum, sum_));
  return MergeSum(sums.squares, squares_);
}

// With exact sums, adding `times` times a value is the same as adding it `times` times.
void Moments::AddTimes(double value, int64_t times) {
  if (times == 0) return;
  low_ = count_ == 0 ? value : std::min(low_, value);
  high_ = count_ == 0 ? value : std::max(high_, value);
  count_ += times;
  sum_.AddProduct(value, double(times));
  AddSquares(value, double(times), squares_);
}

double Moments::Mean() const { return count_ == 0 ? 0 : ExactMean(sum_, count_); }

// A constant column is recognised by its extremes, which are exact.
double Moments::Deviation() const {
  if (count_ < 2 || low_ == high_) return 0;
  return std::sqrt(CentredSum(squares_, sum_, sum_, count_) / double(count_ - 1));
}

Status Line::Add(const arrow::Array& x_values, const arrow::Array& y_values) {
  PT_LET(const arrow::DoubleArray* x_array, Doubles(x_values));
  PT_LET(const arrow::DoubleArray* y_array, Doubles(y_values));
  for (int64_t i = 0; i < x_array->length(); ++i) {
    if (!Has(*x_array, i) || !Has(*y_array, i)) continue;
    const double x = x_array->Value(i), y = y_array->Value(i);
    ++count_;
    x_.Add(x);
    y_.Add(y);
    xx_.AddProduct(x, x);
    xy_.AddProduct(x, y);
  }
  return Status::OK();
}

Status Line::Emit(const EmitRow& emit) const {
  const LineSums sums{count_, x_.ToJson(), y_.ToJson(), xx_.ToJson(), xy_.ToJson()};
  return emit({.text = Dump(FieldsToJson(sums)), .count = count_});
}

Status Line::Merge(const StateRow& row) {
  PT_LET(const LineSums sums, ReadSums<LineSums>(row));
  count_ += sums.count;
  PT_TRY(MergeSum(sums.x, x_));
  PT_TRY(MergeSum(sums.y, y_));
  PT_TRY(MergeSum(sums.xx, xx_));
  return MergeSum(sums.xy, xy_);
}

// Sum of products over sum of squares, both centred; the divisor n cancels.
double Line::Slope() const {
  const double spread = count_ == 0 ? 0 : CentredSum(xx_, x_, x_, count_);
  return spread > 0 ? CentredSum(xy_, x_, y_, count_) / spread : 0;
}

double Line::Intercept() const {
  return count_ == 0 ? 0 : ExactMean(y_, count_) - Slope() * ExactMean(x_, count_);
}

State MakeState(StateKind kind) {
  switch (kind) {
    case StateKind::kTexts:
      return TextCounts();
    case StateKind::kNumbers:
      return NumberCounts();
    case StateKind::kMoments:
      return Moments();
    case StateKind::kLine:
      return Line();
    case StateKind::kGroups:
      return GroupSums();
    case StateKind::kLogMoments:
      return LogMoments();
    case StateKind::kGroupNumbers:
      return GroupNumbers();
    case StateKind::kTokens:
      return TokenCounts();
    case StateKind::kPositive:
      return PositiveCounts();
    case StateKind::kProducts:
      return Products();
    case StateKind::kProfile:
      return ColumnProfiles();
  }
  return Moments();
}

}  // namespace protium
