// SPDX-License-Identifier: Apache-2.0
#include "search/pruning.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "protium/fields.h"

namespace protium {
namespace {

constexpr size_t kFewestForMedian = 5;
constexpr int64_t kNoStep = std::numeric_limits<int64_t>::max();

// The first report at `step` or behind it.
template <class Reports>
auto From(const Reports& reports, int64_t step) {
  return std::ranges::lower_bound(reports, step, {},
                                  [](const auto& report) { return report.first; });
}

double NthOf(std::vector<double>& values, size_t n) {
  const auto at = values.begin() + std::ptrdiff_t(n);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

Outcome OutcomeOf(const PrunedAt& at, const ValueOrder& order) {
  constexpr int64_t kMostSteps = int64_t{1} << 40;
  return {.loss = order.LossOf(at.value),
          .pruned = at.fit * kMostSteps + std::min(at.step, kMostSteps - 1)};
}

std::string Reason(const PrunedAt& at, const PruneRule& rule, const std::string& metric,
                   const std::string& unit) {
  return fmt::format("{} {:.5g} at {} {}, where {:.5g} was needed ({}, {} trial{} before it)",
                     metric, at.value, unit, at.step,
                     rule.order.higher_is_better ? -at.bar : at.bar,
                     fields::Write(rule.kind).get<std::string>(), at.others, PluralOf(at.others));
}

Pruning::Course& Pruning::At(size_t trial) {
  while (courses_.size() <= trial) {
    courses_.push_back({.fits = std::vector<Fit>(size_t(fits_), {.next = rule_.grace})});
  }
  return courses_[trial];
}

void Pruning::Expect(size_t trial, int64_t steps) { At(trial).last_step = steps; }

void Pruning::Report(size_t trial, int32_t fit, int64_t step, double value) {
  if (rule_.kind == Prune::kNone) return;
  auto& best = At(trial).fits[size_t(fit)].best;
  if (!best.empty() && step <= best.back().first) return;
  const bool worse =
      !best.empty() && rule_.order.LossOf(best.back().second) <= rule_.order.LossOf(value);
  best.emplace_back(step, worse ? best.back().second : value);
}

void Pruning::End(size_t trial, int32_t fit, bool failed) {
  Fit& own = At(trial).fits[size_t(fit)];
  own.ended = true;
  own.failed = failed;
}

// A verdict needs those of lower trials alone, so one pass finds all.
void Pruning::Judge() {
  for (size_t i = 0; i < courses_.size(); ++i) {
    if (!courses_[i].decided) JudgeTrial(i);
  }
}

void Pruning::JudgeTrial(size_t trial) {
  Course& course = courses_[trial];
  while (!course.decided && JudgeFit(trial, course.judging)) {
    const bool failed = course.fits[course.judging].failed;
    ++course.judging;
    course.decided = failed || course.judging == course.fits.size();
  }
}

// Returns whether the fit is judged to its end and was not stopped.
bool Pruning::JudgeFit(size_t trial, size_t fit) {
  Course& course = courses_[trial];
  Fit& own = course.fits[fit];
  while (true) {
    const auto report = From(own.best, own.next);
    const bool last =
        report != own.best.end() && course.last_step > 0 && report->first >= course.last_step;
    if (report == own.best.end() || last) return own.ended;
    const bool asha = rule_.kind == Prune::kAsha;
    const int64_t check = asha ? own.next : report->first;
    std::vector<double> losses;
    if (!FindOthers(trial, fit, check, losses)) return false;
    const auto others = int64_t(losses.size());
    const std::optional<double> bar = BarOf(std::move(losses));
    if (bar && rule_.order.LossOf(report->second) > *bar) {
      course.stopped = PrunedAt{int32_t(fit), check, report->first, report->second, *bar, others};
      course.decided = true;
      return false;
    }
    if (!asha) {
      own.next = report->first + 1;
    } else {
      own.next = own.next > kNoStep / rule_.reduction ? kNoStep : own.next * rule_.reduction;
    }
  }
}

// Returns whether it is known of each trial below whether it reaches the check.
bool Pruning::FindOthers(size_t trial, size_t fit, int64_t check,
                         std::vector<double>& losses) const {
  for (size_t i = 0; i < trial; ++i) {
    double loss = 0;
    const Standing standing = Find(courses_[i], fit, check, loss);
    if (standing == Standing::kOpen) return false;
    if (standing == Standing::kReached) losses.push_back(loss);
  }
  return true;
}

Pruning::Standing Pruning::Find(const Course& other, size_t fit, int64_t check,
                                double& loss) const {
  if (other.stopped) {
    const auto at = size_t(other.stopped->fit);
    if (fit > at || (fit == at && check > other.stopped->check)) return Standing::kAbsent;
  } else if (other.decided && fit >= other.judging) {
    return Standing::kAbsent;  // An earlier fit failed.
  } else if (!other.decided && fit > other.judging) {
    return Standing::kOpen;
  }
  const Fit& own = other.fits[fit];
  const auto report = From(own.best, check);
  if (!other.decided && fit == other.judging && own.next < check) {
    // It could still be stopped before this check.
    const bool judged = rule_.kind == Prune::kMedian && report != own.best.end() &&
                        From(own.best, own.next) == report;
    if (!judged) return Standing::kOpen;
  }
  if (report != own.best.end()) {
    loss = rule_.order.LossOf(report->second);
    return Standing::kReached;
  }
  if (!own.ended) return Standing::kOpen;
  if (own.failed || own.best.empty()) return Standing::kAbsent;
  loss = rule_.order.LossOf(own.best.back().second);
  return Standing::kReached;
}

// The loss that a trial must not exceed, given those of others; nullopt: any will do.
std::optional<double> Pruning::BarOf(std::vector<double> losses) const {
  const size_t count = losses.size();
  if (rule_.kind == Prune::kAsha) {
    const size_t kept = std::max<size_t>((count + 1) / size_t(rule_.reduction), 1);
    return count < kept ? std::nullopt : std::optional(NthOf(losses, kept - 1));
  }
  if (count < kFewestForMedian) return std::nullopt;
  const double upper = NthOf(losses, count / 2);
  if (count % 2 == 1) return upper;
  return (NthOf(losses, count / 2 - 1) + upper) / 2;
}

bool Pruning::Decided(size_t trial) const {
  return trial < courses_.size() && courses_[trial].decided;
}

const PrunedAt* Pruning::StoppedAt(size_t trial) const {
  if (trial >= courses_.size() || !courses_[trial].stopped) return nullptr;
  return &*courses_[trial].stopped;
}

}  // namespace protium
