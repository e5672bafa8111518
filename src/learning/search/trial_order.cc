// SPDX-License-Identifier: Apache-2.0
#include "search/trial_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/fault.h"
#include "base/text.h"

namespace protium {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
// At the bound of < or > itself.
constexpr double kLeastViolation = 1e-12;

// With more, hardly a trial is worse than another in all of them.
constexpr size_t kMostMetrics = 4;

Status Refused(std::string where, std::string what, std::string fix) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = std::move(where),
               .fix = std::move(fix)});
}

double ValueIn(const Trial& trial, const std::string& metric) {
  const Json& measured = trial.measured ? *trial.measured : Json::object();
  const auto found = measured.find(metric);
  return found != measured.end() && found->is_number() ? found->get<double>() : std::nan("");
}

}  // namespace

bool IsTimed(const std::string& metric) {
  return metric == "latency_us" || metric == "predict_seconds";
}

double Requirement::ViolationOf(double value) const {
  if (std::isnan(value)) return kEndless;
  const double beyond = sign[0] == '<' ? value - bound : bound - value;
  const bool kept = sign.size() == 2 ? beyond <= 0 : beyond < 0;
  if (kept) return 0;
  return std::max(beyond / (bound != 0 ? std::fabs(bound) : 1), kLeastViolation);
}

Result<Requirement> ReadRequirement(const std::string& text, const std::string& path) {
  const size_t at = text.find_first_of("<>");
  if (at != text.npos) {
    const size_t length = text.compare(at + 1, 1, "=") == 0 ? 2 : 1;
    Requirement read{.text = text,
                     .metric = std::string(Trimmed(std::string_view(text).substr(0, at))),
                     .sign = text.substr(at, length)};
    const std::string_view number = Trimmed(std::string_view(text).substr(at + length));
    const char* const end = number.data() + number.size();
    const auto [rest, error] = std::from_chars(number.data(), end, read.bound);
    if (!read.metric.empty() && error == std::errc() && rest == end && std::isfinite(read.bound)) {
      return read;
    }
  }
  return fields::Refuse(path, "like \"latency_us < 50\": a metric, one of < <= > >=, and a number",
                        text);
}

std::vector<std::string> TrialOrder::Names() const {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const OrderedMetric& each : metrics) add(each.name);
  for (const Requirement& each : require) add(each.metric);
  return names;
}

void TrialOrder::Judge(Trial& trial) const {
  double all = 0, most = 0;
  for (const Requirement& each : require) {
    const double value = ValueIn(trial, each.metric), violation = each.ViolationOf(value);
    all += violation;
    if (violation <= most) continue;
    most = violation;
    trial.error = fmt::format("{} is {:.5g}, and {} is required", each.metric, value, each.text);
  }
  if (all > 0) trial.violation = all;
}

bool TrialOrder::Lacks(const Trial& trial) const {
  return measures() && std::ranges::any_of(Names(), [&](const std::string& name) {
           return std::isnan(ValueIn(trial, name));
         });
}

bool TrialOrder::Counts(const Trial& trial) const {
  return trial.state == TrialState::kDone && trial.value && !trial.violation && !Lacks(trial);
}

Losses TrialOrder::LossesOf(const Trial& trial) const {
  if (!several()) return {first().order.LossOf(*trial.value)};
  Losses losses;
  for (const OrderedMetric& each : metrics) {
    losses.push_back(each.order.LossOf(ValueIn(trial, each.name)));
  }
  return losses;
}

Outcome TrialOrder::OutcomeOf(const Trial& trial) const {
  if (!trial.value) return {.loss = std::nan(""), .pruned = trial.pruned_at};
  Outcome outcome{.loss = first().order.LossOf(*trial.value),
                  .pruned = trial.pruned_at,
                  .violation = trial.violation.value_or(0)};
  if (!several() || trial.state != TrialState::kDone) return outcome;
  outcome.losses = LossesOf(trial);
  if (std::ranges::find(outcome.losses, kEndless) == outcome.losses.end()) return outcome;
  return {.loss = std::nan("")};
}

Result<TrialOrder> OrderOf(const MetricNames& names, const SearchOptions& options) {
  TrialOrder order{.choose = options.choose};
  for (const std::string& name : names) {
    if (std::ranges::find(order.metrics, name, &OrderedMetric::name) != order.metrics.end()) {
      return Refused("search.metric", fmt::format("\"{}\" is named twice", name), "name it once");
    }
    order.metrics.push_back({.name = name});
  }
  if (order.metrics.size() > kMostMetrics) {
    return Refused("search.metric",
                   fmt::format("{} metrics; trials are compared by {} at most",
                               order.metrics.size(), kMostMetrics),
                   "bound the others by require");
  }
  if (order.several() && options.target) {
    return Refused("search.target", "a search by several metrics has no target",
                   "set patience, or name one metric and bound the others by require");
  }
  for (size_t i = 0; i < options.require.size(); ++i) {
    PT_LET(Requirement read,
           ReadRequirement(options.require[i], fmt::format("search.require.{}", i)));
    order.require.push_back(std::move(read));
  }
  return order;
}

std::vector<const Trial*> FrontOf(std::span<const Trial> trials, const TrialOrder& order) {
  std::vector<const Trial*> counting, front;
  std::vector<Losses> losses;
  for (const Trial& each : trials) {
    if (!order.Counts(each)) continue;
    counting.push_back(&each);
    losses.push_back(order.LossesOf(each));
  }
  if (!order.several()) {
    const auto least = std::ranges::min_element(losses);
    if (least != losses.end()) front.push_back(counting[size_t(least - losses.begin())]);
    return front;
  }
  for (const size_t i : FrontOf(losses)) front.push_back(counting[i]);
  return front;
}

const Trial* BestOf(std::span<const Trial> trials, const TrialOrder& order) {
  std::vector<const Trial*> front = FrontOf(trials, order);
  if (front.empty()) return nullptr;
  // By the first metric, and among equals by the next.
  const auto losses_of = [&](const Trial* each) { return order.LossesOf(*each); };
  std::ranges::stable_sort(front, {}, losses_of);
  if (order.choose == Choose::kFirst) return front.front();
  std::vector<Losses> losses;
  for (const Trial* each : front) losses.push_back(losses_of(each));
  return front[KneeOf(losses)];
}

const Trial* NearestOf(std::span<const Trial> trials) {
  const Trial* nearest = nullptr;
  for (const Trial& each : trials) {
    if (each.state != TrialState::kDone) continue;
    const double violation = each.violation.value_or(0);
    if (nearest == nullptr || violation < nearest->violation.value_or(0)) nearest = &each;
  }
  return nearest;
}

}  // namespace protium
