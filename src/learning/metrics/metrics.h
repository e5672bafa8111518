// SPDX-License-Identifier: Apache-2.0
// How well predictions fit labels, over rows in any order and parts of them merged in any order:
// the values come out the same to the last bit. That is why a state holds exact sums
// (base/exact_sum.h) or sorted scores, never a running double, and why only Value() rounds. To add
// a metric: a row in metrics.cc, and its class in the file of its kind.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "protium/fields.h"

namespace protium {

// What is learned: numbers, several quantiles of a number, to which of two or of many classes a row
// belongs, or several answers of yes or no.
enum class TargetKind { kValues, kQuantiles, kTwoClasses, kClasses, kFlags };
inline EnumNames<TargetKind> Names(TargetKind) {
  return {{{TargetKind::kValues, "values"},
           {TargetKind::kQuantiles, "quantiles"},
           {TargetKind::kTwoClasses, "two_classes"},
           {TargetKind::kClasses, "classes"},
           {TargetKind::kFlags, "flags"}}};
}
// Whether labels are numbers, each of its own.
inline bool OfNumbers(TargetKind kind) {
  return kind == TargetKind::kValues || kind == TargetKind::kQuantiles;
}
// Whether a row has one label, the index of its class.
inline bool OfClasses(TargetKind kind) {
  return kind == TargetKind::kTwoClasses || kind == TargetKind::kClasses;
}

// One row, as metrics see it.
struct Judged {
  // Of values and quantiles: one a label, in its own units. Of classes: one, the index of the row's
  // class. Of flags: one a label, 0 or 1.
  std::span<const double> labels;
  // Of values: one a label, in its own units. Of quantiles: for each label one a level, ascending.
  // Of two classes: one, the logit of class 1. Of many: one a class, before the softmax. Of flags:
  // one a label, the logit of 1.
  std::span<const double> scores;
  double weight = 1;
  std::span<const double> levels = {};  // Of quantiles, ascending.
  double cut = 0;  // Of two classes and flags: a score above it counts as class 1.
};

// What one metric knows of the rows so far. ToJson() of states that saw the same rows is the same
// text, whatever the order of rows and merges.
class Metric {
 public:
  virtual ~Metric() = default;
  // `row` fits the kind of target that the metric was made for.
  virtual void Add(const Judged& row) = 0;
  virtual Json ToJson() const = 0;
  // Adds a state that ToJson() of the same metric wrote, perhaps on another machine. Damage is a
  // fault, after which this state is of no use.
  virtual Status Merge(const Json& json) = 0;
  virtual double Value() const = 0;  // NaN where no row decides it.
};

// Whether a metric of these kinds can measure `kind`: one of two classes also measures flags, each
// label by itself, and its value is the mean over the labels for which there is one.
bool Measures(std::span<const TargetKind> kinds, TargetKind kind);

// A metric that can be asked for by name.
struct MetricSpec {
  // As jobs write it. Of a metric with a number, "k" stands in the number's place: "top_k" is asked
  // for as "top_5".
  std::string name;
  std::string help;
  std::vector<TargetKind> kinds;  // What it can measure.
  bool higher_is_better = false;
  std::function<std::unique_ptr<Metric>(TargetKind kind)> make;
  // In place of `make`, of a metric with a number.
  std::function<std::unique_ptr<Metric>(int64_t number)> make_of = {};

  bool Fits(TargetKind kind) const { return Measures(kinds, kind); }
};
// The built-in metrics, in the order in which help lists them; the table lives as long as the
// program.
std::span<const MetricSpec> Metrics();

// The metric that is the weighted mean of `term` over rows, turned into its value by `finish`
// (none: the mean itself). A term that is not finite makes it NaN. Both are called by one thread at
// a time.
std::unique_ptr<Metric> MakeMeanOf(std::function<double(const Judged&)> term,
                                   std::function<double(double)> finish = nullptr);

// `own` below are the metrics of a program and its extensions, besides the built-in ones.

// The name of the table's row that a job's `name` asks for: "top_k" for "top_5", else `name`
// itself. A fault at `where` for "top_k", which leaves its number open.
Result<std::string> RowOfMetric(const std::string& name, const std::string& where = {});
// The metric of this name, under this name and with `make`; or a fault with the nearest one.
Result<MetricSpec> FindMetric(const std::string& name, std::span<const MetricSpec> own = {});
// The rows that fit, in the order of the tables.
std::vector<std::string> MetricsFor(TargetKind kind, std::span<const MetricSpec> own = {});

// The states of several metrics over the same rows. One thread; states of parts are merged as JSON.
class MetricState {
 public:
  // `names` of metrics that fit `kind`; another one is a fault.
  static Result<MetricState> Make(const std::vector<std::string>& names, TargetKind kind,
                                  std::span<const MetricSpec> own = {});
  // The state that ToJson() gave.
  static Result<MetricState> FromJson(const Json& json, std::span<const MetricSpec> own = {});

  void Add(const Judged& row);
  int64_t rows() const { return rows_; }
  // Adds a state of the same metrics; a fault as for Metric::Merge(). Other metrics are a fault
  // that leaves this state as it is.
  Status Merge(const Json& json);
  Json ToJson() const;
  // {"rmse": 40.1, "mae": 20.2} by name; null where no row decides a metric, or its value is not
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
