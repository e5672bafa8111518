// SPDX-License-Identifier: Apache-2.0
// How well predictions fit labels. The values are the same to the last bit for rows in any order
// and parts merged in any order. For this reason a state holds exact sums (base/exact_sum.h) or
// sorted scores, never a running double, and only Value() rounds. To add a metric: a row in
// metrics.cc, and its class in the file of its kind.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "metrics/seasons.h"
#include "protium/fields.h"

namespace protium {

// What is learned: numbers, several quantiles of a number, one of two or of many classes, several
// yes-or-no labels, or the order of the rows of a group by relevance.
enum class TargetKind { kValues, kQuantiles, kTwoClasses, kClasses, kFlags, kRelevance };
inline EnumNames<TargetKind> Names(TargetKind) {
  return {{{TargetKind::kValues, "values"},
           {TargetKind::kQuantiles, "quantiles"},
           {TargetKind::kTwoClasses, "two_classes"},
           {TargetKind::kClasses, "classes"},
           {TargetKind::kFlags, "flags"},
           {TargetKind::kRelevance, "relevance"}}};
}
// Whether labels are numbers.
inline bool OfNumbers(TargetKind kind) {
  return kind == TargetKind::kValues || kind == TargetKind::kQuantiles ||
         kind == TargetKind::kRelevance;
}
// Whether a row's only label is the index of its class.
inline bool OfClasses(TargetKind kind) {
  return kind == TargetKind::kTwoClasses || kind == TargetKind::kClasses;
}

// One row, as metrics see it.
struct Judged {
  // Values and quantiles: one per label, in its own units. Classes: one, the index of the row's
  // class. Flags: one per label, 0 or 1. Relevance: one, a whole number from 0 to 31.
  std::span<const double> labels;
  // Values: one per label, in its own units. Quantiles: for each label one per level, ascending.
  // Two classes: one, the logit of class 1. Many classes: one per class, before the softmax. Flags:
  // one per label, the logit of 1. Relevance: one, by which the rows of a group are ranked.
  std::span<const double> scores;
  double weight = 1;
  std::span<const double> levels = {};  // For quantiles, ascending.
  double cut = 0;      // For two classes and flags: a score above it counts as class 1.
  uint64_t group = 0;  // For relevance: rows with the same number are ranked together.
  std::span<const SeasonScale> scales = {};  // For one value of a series.
};

// The state of one metric over the rows so far. ToJson() returns the same text for states that saw
// the same rows, whatever the order of rows and merges.
class Metric {
 public:
  virtual ~Metric() = default;
  // `row` must be of the kind of target that the metric was made for.
  virtual void Add(const Judged& row) = 0;
  virtual Json ToJson() const = 0;
  // Adds a state that ToJson() of the same metric wrote, perhaps on another machine. Fails for
  // damage; this state must then not be used.
  virtual Status Merge(const Json& json) = 0;
  virtual double Value() const = 0;  // NaN if no row determines it.
};

// Whether a metric of these kinds can measure `kind`. A metric of two classes also measures flags,
// each label separately; its value is the mean over the labels that have one.
bool Measures(std::span<const TargetKind> kinds, TargetKind kind);

// A metric that can be requested by name.
struct MetricSpec {
  // As jobs write it. In the name of a metric with a number, "k" stands for the number: "top_k" is
  // requested as "top_5".
  std::string name;
  std::string help;
  std::vector<TargetKind> kinds;  // The kinds of targets that it can measure.
  bool higher_is_better = false;
  std::function<std::unique_ptr<Metric>(TargetKind kind)> make;
  // Used instead of `make` for a metric with a number.
  std::function<std::unique_ptr<Metric>(int64_t number)> make_of = {};

  bool Fits(TargetKind kind) const { return Measures(kinds, kind); }
};
// The built-in metrics, in the order in which help lists them; the table lives as long as the
// program.
std::span<const MetricSpec> Metrics();

// The metric that is the weighted mean of `term` over rows, turned into its value by `finish`
// (none: the mean itself). A term that is not finite makes it NaN. Each is called by one thread at
// a time.
std::unique_ptr<Metric> MakeMeanOf(std::function<double(const Judged&)> term,
                                   std::function<double(double)> finish = nullptr);

// Below, `own` are the metrics of a program and its extensions, besides the built-in ones.

// Returns the name of the table's row for a job's `name`: "top_k" for "top_5", otherwise `name`
// itself. Fails at `where` for "top_k", which lacks its number.
Result<std::string> RowOfMetric(const std::string& name, const std::string& where = {});
// Returns the metric of this name, with this name and `make` set. Fails with the nearest name if
// there is none.
Result<MetricSpec> FindMetric(const std::string& name, std::span<const MetricSpec> own = {});
// Returns the names of the rows that can measure `kind`, in the order of the tables.
std::vector<std::string> MetricsFor(TargetKind kind, std::span<const MetricSpec> own = {});

// The states of several metrics over the same rows. One thread; states of parts are merged as JSON.
class MetricState {
 public:
  // Fails if one of `names` cannot measure `kind`.
  static Result<MetricState> Make(const std::vector<std::string>& names, TargetKind kind,
                                  std::span<const MetricSpec> own = {});
  // Reads a state that ToJson() wrote.
  static Result<MetricState> FromJson(const Json& json, std::span<const MetricSpec> own = {});

  void Add(const Judged& row);
  int64_t rows() const { return rows_; }
  // Adds a state of the same metrics; fails as Metric::Merge() does. Fails for other metrics and
  // leaves this state unchanged.
  Status Merge(const Json& json);
  Json ToJson() const;
  // {"rmse": 40.1, "mae": 20.2} by name; null if no row determines a metric, or its value is not
  // finite.
  Json Values() const;

 private:
  struct NamedMetric {
    std::string name;
    std::unique_ptr<Metric> metric;
  };
  TargetKind kind_ = TargetKind::kValues;
  std::vector<NamedMetric> metrics_;
  int64_t rows_ = 0;
};

}  // namespace protium
