// SPDX-License-Identifier: Apache-2.0
// How the trials of a search compare: by one metric or several, and by what they must keep.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "protium/search.h"
#include "search/pareto.h"
#include "search/value_order.h"

namespace protium {

// Whether the metric is measured by the clock, so that another run may have another value.
bool IsTimed(const std::string& metric);

// "latency_us < 50"
struct Requirement {
  std::string text;
  std::string metric;
  std::string sign;  // "<", "<=", ">" or ">=".
  double bound = 0;

  // 0 if `value` keeps it; otherwise how far it is from the bound as a share of that (of 1 if it is
  // 0), and above 0 at the bound itself; infinite for NaN.
  double ViolationOf(double value) const;
};

// A metric, one of <, <=, >, >= and a number; anything else is a fault of Exit::kUsage at `path`.
Result<Requirement> ReadRequirement(const std::string& text, const std::string& path);

struct OrderedMetric {
  std::string name;
  ValueOrder order;
};

// What a trial has come to, for a method that learns.
struct Outcome {
  double loss = 0;       // Less is better; NaN if it failed. The first, if there are several.
  int64_t pruned = 0;    // The step of its pruning; 0: it was not pruned.
  double violation = 0;  // Above 0: it breaks what is required.
  Losses losses = {};    // With several metrics: of each.
};

struct TrialOrder {
  std::vector<OrderedMetric> metrics;  // At least one.
  Choose choose = Choose::kKnee;
  std::vector<Requirement> require;

  const OrderedMetric& first() const { return metrics.front(); }
  bool several() const { return metrics.size() > 1; }
  // Whether a done trial's row has `measured`.
  bool measures() const { return several() || !require.empty(); }
  // All that is compared or required, each once; the first metric comes first.
  std::vector<std::string> Names() const;

  // Sets the violation of a done trial, and in its error which requirement it breaks most.
  void Judge(Trial& trial) const;

  // Whether one of Names() is not known of it.
  bool Lacks(const Trial& trial) const;
  // Whether it may be the best.
  bool Counts(const Trial& trial) const;
  // Of a trial that counts, or that at least has all values.
  Losses LossesOf(const Trial& trial) const;
  Outcome OutcomeOf(const Trial& trial) const;
};

// Of `names`, which are not empty; whether more or less of each is better is not settled yet.
// Refuses with Exit::kUsage below "search" a metric twice, more than four, a target for several,
// and requirements that cannot be read.
Result<TrialOrder> OrderOf(const MetricNames& names, const SearchOptions& options);

// The trials that count and that no other is better than: with one metric the first of the best
// ones; with several the whole front, in the order of numbers.
std::vector<const Trial*> FrontOf(std::span<const Trial> trials, const TrialOrder& order);

// The one of them that becomes the model; null if there is none. Of knees that are equally near the
// best by the first metric.
const Trial* BestOf(std::span<const Trial> trials, const TrialOrder& order);

// The done trial that breaks its requirements least; null if none is done.
const Trial* NearestOf(std::span<const Trial> trials);

}  // namespace protium
