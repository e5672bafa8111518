// SPDX-License-Identifier: Apache-2.0
#include "search/pruning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/exact_sum.h"
#include "base/splitmix.h"
#include "base/text.h"
#include "protium/fields.h"
#include "search/signed_ranks.h"

namespace protium {
namespace {

constexpr size_t kFewestForMedian = 5;
constexpr double kSignificant = 0.1;
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
  const double bar = rule.order.higher_is_better ? -at.bar : at.bar;
  if (rule.kind == Prune::kWilcoxon) {
    return fmt::format(
        "{} {:.5g} over {} {}s, where the best trial before it has {:.5g} "
        "(wilcoxon, p = {:.2g})",
        metric, at.value, at.step, unit, bar, at.p);
  }
  return fmt::format("{} {:.5g} at {} {}, where {:.5g} was needed ({}, {} trial{} before it)",
                     metric, at.value, unit, at.step, bar,
                     fields::Write(rule.kind).get<std::string>(), at.others, PluralOf(at.others));
}

int64_t CountBrackets(int64_t most, int64_t grace, int64_t reduction) {
  int64_t brackets = 1;
  for (int64_t first = grace; first <= most / reduction; first *= reduction) ++brackets;
  return brackets;
}

int64_t Pruning::BracketOf(size_t trial) const {
  if (rule_.kind != Prune::kHyperband) return 0;
  std::vector<double> shares;
  double all = 0;
  for (int64_t s = rule_.brackets - 1; s >= 0; --s) {
    shares.push_back(
        std::ceil(double(rule_.brackets) * std::pow(double(rule_.reduction), s) / double(s + 1)));
    all += shares.back();
  }
  // 53 bits of the number's hash, as a share of all.
  const double drawn = double(SplitMix(uint64_t(trial) * kSplitMixStep) >> 11) * 0x1p-53 * all;
  double below = 0;
  for (size_t bracket = 0; bracket < shares.size(); ++bracket) {
    below += shares[bracket];
    if (drawn < below) return int64_t(bracket);
  }
  return rule_.brackets - 1;
}

Pruning::Course& Pruning::At(size_t trial) {
  while (courses_.size() <= trial) {
    int64_t first = rule_.grace;
    for (int64_t i = BracketOf(courses_.size()); i > 0; --i) {
      first = first > kNoStep / rule_.reduction ? kNoStep : first * rule_.reduction;
    }
    courses_.push_back({.fits = std::vector<Fit>(size_t(fits_), {.next = first})});
  }
  return courses_[trial];
}

void Pruning::Expect(size_t trial, int64_t steps) { At(trial).last_step = steps; }

void Pruning::Report(size_t trial, int32_t fit, int64_t step, double value) {
  if (rule_.kind == Prune::kNone) return;
  auto& best = At(trial).fits[size_t(fit)].best;
  if (!best.empty() && step <= best.back().first) return;
  const bool worse = rule_.kind != Prune::kWilcoxon && !best.empty() &&
                     rule_.order.LossOf(best.back().second) <= rule_.order.LossOf(value);
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
  if (rule_.kind == Prune::kWilcoxon) {
    course.decided = JudgeByRanks(trial);
    return;
  }
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
    const bool rungs = OnRungs();
    const int64_t check = rungs ? own.next : report->first;
    std::vector<double> losses;
    if (!FindOthers(trial, fit, check, losses)) return false;
    const auto others = int64_t(losses.size());
    const std::optional<double> bar = BarOf(std::move(losses));
    if (bar && rule_.order.LossOf(report->second) > *bar) {
      course.stopped = PrunedAt{.fit = int32_t(fit),
                                .check = check,
                                .step = report->first,
                                .value = report->second,
                                .bar = *bar,
                                .others = others};
      course.decided = true;
      return false;
    }
    if (!rungs) {
      own.next = report->first + 1;
    } else {
      own.next = own.next > kNoStep / rule_.reduction ? kNoStep : own.next * rule_.reduction;
    }
  }
}

double Pruning::MeanLoss(const Fit& fit) const {
  ExactSum sum;
  for (const auto& [step, value] : fit.best) sum.Add(value);
  return rule_.order.LossOf(sum.Rounded() / double(fit.best.size()));
}

// The best of those below, all of which are decided, that came to its end; null if none did.
const Pruning::Course* Pruning::BestBelow(size_t trial) const {
  const Course* best = nullptr;
  for (size_t i = 0; i < trial; ++i) {
    const Course& course = courses_[i];
    const Fit& fit = course.fits.front();
    if (course.stopped || fit.failed || fit.best.empty()) continue;
    if (!best || MeanLoss(fit) < MeanLoss(best->fits.front())) best = &course;
  }
  return best;
}

// Returns whether later reports change nothing for this trial any more.
bool Pruning::JudgeByRanks(size_t trial) {
  Course& course = courses_[trial];
  Fit& own = course.fits.front();
  for (size_t i = 0; i < trial; ++i) {
    if (!courses_[i].decided) return false;
  }
  const Course* const best = BestBelow(trial);
  std::vector<double> differences;
  ExactSum own_sum, best_sum;
  for (size_t i = 0; best != nullptr && i < own.best.size(); ++i) {
    const auto [step, value] = own.best[i];
    const auto& theirs = best->fits.front().best;
    const auto same = From(theirs, step);
    if (same == theirs.end() || same->first != step) break;  // They share no more steps.
    own_sum.Add(value);
    best_sum.Add(same->second);
    differences.push_back(rule_.order.LossOf(value) - rule_.order.LossOf(same->second));
    if (step < rule_.grace || (course.last_step > 0 && step >= course.last_step)) continue;
    const double mean = own_sum.Rounded() / double(i + 1);
    const double bar = rule_.order.LossOf(best_sum.Rounded() / double(i + 1));
    const double p = ChanceOfGreater(differences);
    if (rule_.order.LossOf(mean) <= bar || p >= kSignificant) continue;
    course.stopped =
        PrunedAt{.check = step, .step = step, .value = mean, .bar = bar, .others = 1, .p = p};
    return true;
  }
  return own.ended;
}

// Returns whether it is known of each trial below whether it reaches the check.
bool Pruning::FindOthers(size_t trial, size_t fit, int64_t check,
                         std::vector<double>& losses) const {
  for (size_t i = 0; i < trial; ++i) {
    if (BracketOf(i) != BracketOf(trial)) continue;
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
  if (OnRungs()) {
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
