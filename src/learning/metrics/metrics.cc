// SPDX-License-Identifier: Apache-2.0
// The table of metrics, and states of several of them over the same rows.
#include "metrics/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/fault.h"
#include "base/unknown_name.h"
#include "metrics/kinds.h"
#include "metrics/names_elsewhere.h"

namespace protium {
namespace {

constexpr TargetKind kValues = TargetKind::kValues;
constexpr TargetKind kQuantiles = TargetKind::kQuantiles;
constexpr TargetKind kTwo = TargetKind::kTwoClasses;
constexpr TargetKind kMany = TargetKind::kClasses;
constexpr TargetKind kRelevance = TargetKind::kRelevance;

// Name, help, kinds of target, whether higher is better, maker. train/verdict.cc, which compares
// epochs, treats `bias` specially: it is best near 0.
std::vector<MetricSpec> NumberMetrics() {
  return {
      {"rmse", "root of the mean squared error, in the label's units", {kValues}, false, MakeRmse},
      {"mse", "mean squared error", {kValues}, false, MakeMse},
      {"mae", "mean absolute error, in the label's units", {kValues}, false, MakeMae},
      {"bias", "mean of prediction minus label", {kValues}, false, MakeBias},
      {"r2", "share of the label's variance that is explained", {kValues}, true, MakeR2},
      {"mape",
       "mean absolute error as a share of the label, over labels other than 0",
       {kValues},
       false,
       MakeMape},
      {"smape",
       "mean absolute error as a share of the mean of label and prediction, from 0 to 2",
       {kValues},
       false,
       MakeSmape},
      {"rmspe",
       "root of the mean squared error as a share of the label, over labels other than 0; with "
       "label_scale = \"log1p\" this is what the Rossmann competition calls exp_rmspe",
       {kValues},
       false,
       MakeRmspe},
      {"exp_rmspe",
       "rmspe of exp(label), for a label that is a logarithm already; with label_scale = \"log1p\" "
       "use rmspe",
       {kValues},
       false,
       MakeExpRmspe},
      {"mase@k",
       "mean absolute error, divided by that of repeating the value k rows before, in the training "
       "rows of the same series; write the season in rows in place of k: \"mase@7\"; needs a stage "
       "of earlier rows, which names the series",
       {kValues},
       false,
       nullptr,
       MakeMase},
      {"pinball",
       "mean over rows and levels of the pinball loss: level times what lies above the predicted "
       "quantile, 1 - level times what lies below",
       {kQuantiles},
       false,
       MakePinball},
      {"coverage",
       "share of labels between the lowest and the highest predicted quantile",
       {kQuantiles},
       true,
       MakeCoverage}};
}

std::vector<MetricSpec> ClassMetrics() {
  return {
      {"log_loss",
       "mean of -log(probability of the row's class)",
       {kTwo, kMany},
       false,
       MakeLogLoss},
      {"accuracy",
       "share of rows whose class is predicted correctly",
       {kTwo, kMany},
       true,
       MakeAccuracy},
      {"balanced_accuracy",
       "mean over the classes of the share of their rows predicted correctly",
       {kTwo, kMany},
       true,
       MakeBalancedAccuracy},
      {"f1",
       "mean over the classes of the harmonic mean of precision and recall",
       {kTwo, kMany},
       true,
       MakeF1},
      {"precision",
       "share of the rows predicted positive that are positive; of many classes the mean over the "
       "classes",
       {kTwo, kMany},
       true,
       MakePrecision},
      {"recall",
       "share of the positive rows that are predicted positive; of many classes the mean over the "
       "classes",
       {kTwo, kMany},
       true,
       MakeRecall},
      {"top_k",
       "share of rows whose class is among the k likeliest; write the number in place of k: "
       "\"top_5\"",
       {kMany},
       true,
       nullptr,
       MakeTop},
      {"auc",
       "probability that a positive row scores above a negative one; ties count half",
       {kTwo},
       true,
       MakeAuc},
      {"pr_auc", "mean precision over recall (average precision)", {kTwo}, true, MakePrAuc},
      {"brier",
       "mean squared distance of the probabilities from the true class",
       {kTwo, kMany},
       false,
       MakeBrier}};
}

std::vector<MetricSpec> GroupMetrics() {
  return {{"ndcg@k",
           "mean over the groups of how well their first k rows are chosen and ordered, 1 being "
           "best; write the number in place of k: \"ndcg@10\"",
           {kRelevance},
           true,
           nullptr,
           MakeNdcg}};
}

const std::vector<MetricSpec>& Table() {
  static const std::vector<MetricSpec> table = [] {
    std::vector<MetricSpec> all = NumberMetrics();
    std::ranges::move(ClassMetrics(), std::back_inserter(all));
    std::ranges::move(GroupMetrics(), std::back_inserter(all));
    return all;
  }();
  return table;
}

// The number in `name` in the position of the "k" that `row` ends in: plain digits
// without a leading zero, so that each metric has one name.
std::optional<int64_t> NumberOf(std::string_view name, std::string_view row) {
  // So that the number fits and from_chars() cannot fail.
  constexpr size_t kMostDigits = 9;
  row.remove_suffix(1);
  if (!name.starts_with(row)) return std::nullopt;
  name.remove_prefix(row.size());
  const bool digits = name.find_first_not_of("0123456789") == name.npos;
  if (!digits || name.empty() || name.size() > kMostDigits || name[0] == '0') return std::nullopt;
  int64_t number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

// The JSON of a state: {"kind", "rows", "metrics": [{"name", "state"}, ...]}. Workers report it,
// the driver merges it.
struct NamedState {
  std::string name;
  Json state = Json::object();
  template <class Visit>
  void Fields(Visit& visit) {
    visit("name", name);
    visit("state", state);
  }
};

struct States {
  TargetKind kind = kValues;
  int64_t rows = 0;
  std::vector<NamedState> metrics;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("kind", kind);
    visit("rows", rows);
    visit("metrics", metrics);
  }
};

Result<States> ReadStates(const Json& json) {
  States states;
  PT_TRY(FieldsFromJson(json, "metrics", states));
  if (states.rows >= 0) return states;
  return Fail({.what = "a state of metrics over " + std::to_string(states.rows) + " rows"});
}

}  // namespace

std::span<const MetricSpec> Metrics() { return Table(); }

bool Measures(std::span<const TargetKind> kinds, TargetKind kind) {
  const bool flags = kind == TargetKind::kFlags;
  return std::any_of(kinds.begin(), kinds.end(), [&](TargetKind each) {
    return each == kind || (flags && each == TargetKind::kTwoClasses);
  });
}

Result<std::string> RowOfMetric(const std::string& name, const std::string& where) {
  for (const MetricSpec& row : Metrics()) {
    if (!row.make_of) continue;
    // "top_k" itself has no digits for k, and is refused below.
    if (NumberOf(name, row.name)) return row.name;
    if (row.name != name) continue;
    const std::string stem = name.substr(0, name.size() - 1);
    return Fail({.exit = Exit::kUsage,
                 .what = "metric \"" + name + "\" needs a number in place of k",
                 .where = where,
                 .fix = "write \"" + stem + "5\", or another number"});
  }
  return name;
}

Result<MetricSpec> FindMetric(const std::string& name, std::span<const MetricSpec> own) {
  PT_LET(const std::string asked, RowOfMetric(name));
  std::vector<std::string> known;
  for (const std::span<const MetricSpec> rows : {Metrics(), own}) {
    for (MetricSpec row : rows) {
      known.push_back(row.name);
      if (row.name != asked) continue;
      if (!row.make_of) return row;
      // `row` is a copy, which becomes the metric for this number.
      row.make = [make = row.make_of, number = *NumberOf(name, asked)](TargetKind) {
        return make(number);
      };
      row.name = name;
      return row;
    }
  }
  PT_TRY(RefuseNameElsewhere(name, ""));
  return UnknownName("metric", name, known);
}

std::vector<std::string> MetricsFor(TargetKind kind, std::span<const MetricSpec> own) {
  std::vector<std::string> names;
  for (const std::span<const MetricSpec> rows : {Metrics(), own}) {
    for (const MetricSpec& row : rows) {
      if (row.Fits(kind)) names.push_back(row.name);
    }
  }
  return names;
}

Result<MetricState> MetricState::Make(const std::vector<std::string>& names, TargetKind kind,
                                      std::span<const MetricSpec> own) {
  MetricState state;
  state.kind_ = kind;
  for (const std::string& name : names) {
    PT_LET(const MetricSpec row, FindMetric(name, own));
    if (!row.Fits(kind)) {
      return Fail({.exit = Exit::kUsage,
                   .what = "metric \"" + name + "\" does not fit this kind of label",
                   .fix = "one of: " + Dump(Json(MetricsFor(kind, own)))});
    }
    state.metrics_.push_back(
        {name, kind == TargetKind::kFlags ? MakeOfEachLabel(row.make) : row.make(kind)});
  }
  return state;
}

Result<MetricState> MetricState::FromJson(const Json& json, std::span<const MetricSpec> own) {
  PT_LET(const States states, ReadStates(json));
  std::vector<std::string> names;
  for (const NamedState& each : states.metrics) names.push_back(each.name);
  PT_LET(MetricState state, Make(names, states.kind, own));
  PT_TRY(state.Merge(json));
  return state;
}

void MetricState::Add(const Judged& row) {
  ++rows_;
  for (NamedMetric& each : metrics_) each.metric->Add(row);
}

Status MetricState::Merge(const Json& json) {
  PT_LET(const States states, ReadStates(json));
  bool same = states.kind == kind_ && states.metrics.size() == metrics_.size();
  for (size_t i = 0; same && i < metrics_.size(); ++i) {
    same = states.metrics[i].name == metrics_[i].name;
  }
  if (!same) return Fail({.what = "states of different metrics cannot be added up"});
  for (size_t i = 0; i < metrics_.size(); ++i) {
    PT_TRY(metrics_[i].metric->Merge(states.metrics[i].state));
  }
  rows_ += states.rows;
  return Status::OK();
}

Json MetricState::ToJson() const {
  States states{.kind = kind_, .rows = rows_};
  for (const NamedMetric& each : metrics_)
    states.metrics.push_back({each.name, each.metric->ToJson()});
  return FieldsToJson(states);
}

Json MetricState::Values() const {
  Json values = Json::object();
  for (const NamedMetric& each : metrics_) {
    const double value = each.metric->Value();
    // JSON has no NaN and no infinity.
    values[each.name] = std::isfinite(value) ? Json(value) : Json();
  }
  return values;
}

}  // namespace protium
