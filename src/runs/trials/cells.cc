// SPDX-License-Identifier: Apache-2.0
#include "trials/cells.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/strict_math.h"

namespace protium {
namespace {

constexpr size_t kRangeCells = 32, kMostChoices = 63;

}  // namespace

OptionCells::OptionCells(const TriedOption& option, double share_without) : option_(option) {
  const double half = option.whole ? 0.5 : 0;
  low_ = option.low - half;
  high_ = option.high + half;
  num_values_ = std::min(option.choices.size(), kMostChoices);
  if (option.range()) {
    const double values = option.high - option.low + 1;
    each_whole_ = option.whole && values <= double(kRangeCells);
    num_values_ = each_whole_ ? size_t(values) : high_ > low_ ? kRangeCells : 1;
  }
  for (size_t cell = 0; cell < num_values_; ++cell) {
    double weight = 1 / double(num_values_);
    if (each_whole_ && option.log) {
      const double number = option.low + double(cell);
      weight = UnitOf(number + 0.5) - UnitOf(number - 0.5);
    }
    weights_.push_back(weight * (1 - share_without));
  }
  if (share_without > 0) weights_.push_back(share_without);
}

double OptionCells::UnitOf(double value) const {
  if (!(high_ > low_)) return 0;
  const double unit = option_.log ? StrictLog(value / low_) / StrictLog(high_ / low_)
                                  : (value - low_) / (high_ - low_);
  return std::clamp(unit, 0.0, 1.0);
}

double OptionCells::ValueAt(double unit) const {
  return option_.log ? low_ * std::pow(high_ / low_, unit) : low_ + unit * (high_ - low_);
}

double OptionCells::MiddleOf(size_t cell) const {
  if (each_whole_) return option_.low + double(cell);
  const double value = ValueAt((double(cell) + 0.5) / double(num_values_));
  return option_.whole ? std::round(value) : value;
}

size_t OptionCells::CellOf(const Json& value) const {
  const size_t last = num_values_ - 1;
  if (value.is_null()) return count() > num_values_ ? num_values_ : last;
  if (!option_.range()) {
    const auto found = std::ranges::find(option_.choices, value);
    return std::min(size_t(found - option_.choices.begin()), last);
  }
  if (!value.is_number()) return last;
  if (each_whole_) {
    const double at = std::clamp(value.get<double>() - option_.low, 0.0, double(last));
    return size_t(at);
  }
  return std::min(size_t(UnitOf(value.get<double>()) * double(num_values_)), last);
}

double OptionCells::WeightOf(uint64_t cells) const {
  double sum = 0;
  for (uint64_t left = cells; left != 0; left &= left - 1) {
    sum += weights_[size_t(std::countr_zero(left))];
  }
  return sum;
}

}  // namespace protium
