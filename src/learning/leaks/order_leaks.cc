// SPDX-License-Identifier: Apache-2.0
#include "leaks/order_leaks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>

#include "leaks/pair_leaks.h"

namespace protium {
namespace {

constexpr size_t kMostClassRows = 50'000;
constexpr int kMostClasses = 50;
constexpr size_t kMostAmountRows = 20'000;
constexpr size_t kFewestAmountRows = 100;  // Of fewer, two series with a trend may well agree.
constexpr size_t kFewestDifferent = 50;
constexpr size_t kFirstRows = 500;  // That show whether all of them are worth the sorting.
constexpr double kWorthIt = 0.999;

using Rows = std::vector<std::pair<double, int>>;

// The value that has the fewest rows of class `low` above it and of `high` not above it; the rows
// are in order.
double LimitBetween(const Rows& rows, int low, int high) {
  int64_t wrong = 0;
  for (const auto& [value, label] : rows) wrong += label == low ? 1 : 0;
  int64_t best = wrong;
  double limit = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < rows.size(); ++i) {
    wrong += rows[i].second == high ? 1 : rows[i].second == low ? -1 : 0;
    const bool last = i + 1 == rows.size() || rows[i + 1].first != rows[i].first;
    if (!last || wrong >= best) continue;
    best = wrong;
    limit = rows[i].first;
  }
  return limit;
}

// The classes by their mean position among the rows, which are in order.
std::vector<int> ClassesInOrder(const Rows& rows, const std::vector<int64_t>& counts) {
  std::vector<double> positions(counts.size(), 0);
  for (size_t i = 0; i < rows.size(); ++i) positions[size_t(rows[i].second)] += double(i);
  std::vector<int> classes;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) classes.push_back(int(i));
    if (counts[i] > 0) positions[i] /= double(counts[i]);
  }
  std::ranges::sort(classes, {}, [&](int each) { return positions[size_t(each)]; });
  return classes;
}

// The position of each value in order, from 0; equal ones share the mean of theirs.
std::vector<double> RanksOf(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::sort(order, {}, [&](size_t each) { return values[each]; });
  std::vector<double> ranks(values.size());
  for (size_t first = 0, behind = 0; first < order.size(); first = behind) {
    while (behind < order.size() && values[order[behind]] == values[order[first]]) ++behind;
    const double mean = double(first + behind - 1) / 2;
    for (size_t i = first; i < behind; ++i) ranks[order[i]] = mean;
  }
  return ranks;
}

double Correlation(const std::vector<double>& a, const std::vector<double>& b) {
  LineFit line;
  for (size_t i = 0; i < a.size(); ++i) line.Read(a[i], b[i]);
  return line.Correlation();
}

// The largest number of which all values are multiples, from whole numbers down to thousandths; 0:
// none.
double StepOf(std::span<const double> values) {
  constexpr double kLargest = 1e12;
  for (const double parts : {1., 10., 100., 1000.}) {
    int64_t step = 0;
    for (const double each : values) {
      const double scaled = each * parts, whole = std::round(scaled);
      if (std::abs(scaled) > kLargest || std::abs(scaled - whole) > 1e-6 * std::abs(scaled)) {
        step = -1;
        break;
      }
      step = std::gcd(step, int64_t(whole));
    }
    if (step > 0) return double(step) / parts;
  }
  return 0;
}

// Whether the values `y` lie within half a step of their own from the line that `x` predicts them
// by: rounding leaves rests of any size up to that, and whole numbers added to them those at its
// edge.
bool IsRoundedLine(std::span<const double> x, std::span<const double> y) {
  constexpr double kNearlyHalf = 0.49;
  constexpr double kMostFar = 0.03;
  const double step = StepOf(y);
  if (step == 0) return false;
  LineFit line;
  for (size_t i = 0; i < x.size(); ++i) line.Read(x[i], y[i]);
  // Where nearly all values are equal, so are the rests.
  constexpr double kStraightEnough = 0.995;
  if (line.Correlation() < kStraightEnough) return false;
  const double slope = line.xy / line.xx;
  size_t far = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double rest = y[i] - line.mean_y - slope * (x[i] - line.mean_x);
    far += std::abs(rest) > kNearlyHalf * step ? 1 : 0;
  }
  return double(far) <= kMostFar * double(x.size());
}

size_t Different(std::vector<double> values) {
  std::ranges::sort(values);
  return size_t(std::ranges::unique(values).begin() - values.begin());
}

}  // namespace

void ClassOrder::Read(double value, int label) {
  if (rows_.size() < kMostClassRows && !std::isnan(value)) rows_.emplace_back(value, label);
}

ClassOrder::Counts ClassOrder::Count() {
  std::ranges::sort(rows_);
  std::vector<int64_t> counts;
  for (const auto& [value, label] : rows_) {
    if (size_t(label) >= counts.size()) counts.resize(size_t(label) + 1);
    ++counts[size_t(label)];
  }
  Counts out{.rows = int64_t(rows_.size())};
  if (counts.empty()) return out;
  out.guessing = out.rows - std::ranges::max(counts);
  out.mistakes = out.guessing;
  const std::vector<int> classes = ClassesInOrder(rows_, counts);
  if (classes.size() < 2 || classes.size() > size_t(kMostClasses)) return out;
  std::vector<double> limits;
  for (size_t i = 0; i + 1 < classes.size(); ++i) {
    limits.push_back(LimitBetween(rows_, classes[i], classes[i + 1]));
  }
  int64_t wrong = 0;
  for (const auto& [value, label] : rows_) {
    const auto above = std::ranges::count_if(limits, [&](double limit) { return value > limit; });
    wrong += label != classes[size_t(above)] ? 1 : 0;
  }
  out.mistakes = std::min(out.mistakes, wrong);
  return out;
}

void AmountOrder::Read(double value, double label) {
  if (values_.size() >= kMostAmountRows || std::isnan(value) || std::isnan(label)) return;
  values_.push_back(value);
  labels_.push_back(label);
}

double AmountOrder::InnerCorrelation() const {
  std::vector<double> sorted = labels_;
  if (sorted.size() < kFewestAmountRows) return 0;
  std::ranges::sort(sorted);
  const double low = sorted[sorted.size() / 10],
               high = sorted[sorted.size() - 1 - sorted.size() / 10];
  LineFit line;
  for (size_t i = 0; i < labels_.size(); ++i) {
    if (labels_[i] >= low && labels_[i] <= high) line.Read(values_[i], labels_[i]);
  }
  return line.Correlation();
}

bool AmountOrder::IsRounded() const {
  constexpr size_t kFewestSteps = 20;
  if (values_.size() < kFewestAmountRows) return false;
  return (Different(labels_) >= kFewestSteps && IsRoundedLine(values_, labels_)) ||
         (Different(values_) >= kFewestSteps && IsRoundedLine(labels_, values_));
}

bool AmountOrder::SortsLabels() const {
  constexpr size_t kFewestLabels = 20, kPerFall = 1000;
  const bool apart = Different(values_) * 20 >= values_.size() * 19;
  if (values_.size() < kFewestAmountRows || !apart) return false;
  std::vector<std::pair<double, double>> rows;
  for (size_t i = 0; i < values_.size(); ++i) rows.emplace_back(values_[i], labels_[i]);
  std::ranges::sort(rows);
  size_t falls = 0, rises = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    falls += rows[i].second < rows[i - 1].second ? 1 : 0;
    rises += rows[i].second > rows[i - 1].second ? 1 : 0;
  }
  const size_t fewer =
      std::min(falls, rises);  // Of a label that is nearly always 0, as the others.
  return Different(labels_) >= kFewestLabels && fewer * kPerFall <= rows.size() &&
         fewer * kFewestLabels <= std::max(falls, rises);
}

double AmountOrder::RankCorrelation() const {
  if (values_.size() < kFewestAmountRows) return 0;
  const auto of = [&](size_t rows) {
    return Correlation(RanksOf(std::span(values_).first(rows)),
                       RanksOf(std::span(labels_).first(rows)));
  };
  if (values_.size() > kFirstRows && of(kFirstRows) < kWorthIt) return 0;
  const double correlation = of(values_.size());
  const bool many =
      Different(values_) >= kFewestDifferent && Different(labels_) >= kFewestDifferent;
  return many && correlation >= kWorthIt ? correlation : 0;
}

}  // namespace protium
