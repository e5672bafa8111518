// SPDX-License-Identifier: Apache-2.0
#include "pipeline/estimator.h"

#include <algorithm>
#include <utility>

#include "base/nearest.h"
#include "metrics/fit_decision.h"
#include "pipeline/learn_label.h"

namespace protium {
namespace {

// The first is also the default of `best`, the metric that chooses the epoch.
std::vector<std::string> UsualMetrics(TargetKind kind) {
  switch (kind) {
    case TargetKind::kValues:
      return {"rmse", "mae"};
    case TargetKind::kQuantiles:
      return {"pinball", "coverage"};
    case TargetKind::kTwoClasses:
    case TargetKind::kFlags:
      return {"log_loss", "auc", "accuracy"};
    case TargetKind::kClasses:
      return {"log_loss", "accuracy"};
    case TargetKind::kRelevance:
      return {"ndcg@10", "ndcg@5"};
  }
  return {};
}

// Checks that each metric exists and can measure what the loss learns.
Status CheckMetrics(const LossRow& loss, const MeasureOptions& train, const std::string& path,
                    const Catalogue& catalogue) {
  std::vector<std::string> fitting;
  const auto fits = [&](const MetricRow& row) { return Measures(row.kinds, loss.kind); };
  for (const MetricRow& row : catalogue.metrics) {
    if (fits(row)) fitting.push_back(row.name);
  }
  for (size_t i = 0; i < train.metrics.size(); ++i) {
    const std::string at = path + ".metrics." + std::to_string(i);
    PT_LET(const MetricRow* row, FindMetricRow(catalogue.metrics, train.metrics[i], at));
    if (fits(*row)) continue;
    return Fail(
        {.exit = Exit::kUsage,
         .what = "metric \"" + train.metrics[i] + "\" does not fit loss \"" + loss.name + "\"",
         .where = at,
         .fix = "one of: " + Dump(Json(fitting))});
  }
  return Status::OK();
}

// Fills in the metrics and `best` by the kind of loss, and refuses a baseline column except for
// values.
Status ChooseMetrics(const LossRow& loss, MeasureOptions& train, const std::string& path,
                     const Catalogue& catalogue) {
  if (train.metrics.empty()) train.metrics = UsualMetrics(loss.kind);
  if (train.best.empty()) train.best = train.metrics.front();
  PT_TRY(CheckMetrics(loss, train, path, catalogue));
  // Ranks look it up even if no rows are held out to measure it on.
  PT_TRY(FindMetricRow(catalogue.metrics, train.best, path + ".best").status());
  if (loss.kind == TargetKind::kValues || train.baseline.empty()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "only numbers have a straight-line baseline",
               .where = path + ".baseline",
               .fix = loss.kind == TargetKind::kQuantiles
                          ? "leave baseline out: quantiles are compared with those of the label"
                      : loss.kind == TargetKind::kRelevance
                          ? "leave baseline out: rankings are compared with a random order"
                          : "leave baseline out: classes are compared with their shares"});
}

// Refuses (Exit::kUsage) an option's value unless `holds`; `must` completes "... must be".
Status Require(bool holds, const std::string& path, const std::string& must, const Json& got) {
  return holds ? Status::OK() : fields::Refuse(path, must, got);
}

// Checks which of `label` and `labels` is given, and that the loss can learn it.
Status CheckLabelNames(const EstimatorOptions& options, const LossRow& loss,
                       const std::string& at) {
  const bool several = !options.labels.empty();
  if (several != options.label.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = several ? "both label and labels are given" : "there is no label",
                 .where = at + "label",
                 .fix = "set label = \"column\", or labels = [\"a\", \"b\"]"});
  }
  const bool one = OfClasses(loss.kind) || loss.kind == TargetKind::kRelevance;
  PT_TRY(Require(!several || !one, at + "labels",
                 "left out: " + options.loss.name + " learns one label", options.labels));
  PT_TRY(Require(!several || options.train.baseline.empty(), at + "train.baseline",
                 "left out with several labels", options.train.baseline));
  if (loss.kind != TargetKind::kQuantiles) return Status::OK();
  return LevelsOf(options).status();
}

// Rows are ranked by relevance within their group, and only then. Held-out rows are whole groups,
// unless `validation.by` says otherwise (trees/lambdarank.h refuses groups that it cuts apart).
Status CheckGroup(EstimatorOptions& options, const LossRow& loss, const std::string& at) {
  const bool ranks = loss.kind == TargetKind::kRelevance;
  if (ranks && options.group.empty()) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = loss.name + " ranks rows within groups, and no group is given",
         .where = at + "group",
         .fix = "set group = \"column\", whose equal values are one group, such as a query"});
  }
  PT_TRY(Require(ranks || options.group.empty(), at + "group",
                 "left out: " + loss.name + " does not rank rows", options.group));
  ValidationOptions& validation = options.train.validation;
  const bool free =
      validation.by.empty() && validation.by_time.empty() && validation.column.empty();
  if (ranks && validation.share > 0 && free) validation.by = {options.group};
  return Status::OK();
}

// Checks the scale of numbers; classes, flags and relevance have none. Fills in the default.
Status CheckScale(EstimatorOptions& options, const LossRow& loss, const std::string& at) {
  const bool ranks = loss.kind == TargetKind::kRelevance;
  const bool numbers = OfNumbers(loss.kind) && !ranks;
  const Json given = options.label_scale ? fields::Write(*options.label_scale) : Json();
  const bool scaled = options.label_scale && options.label_scale != Scale::kNone;
  PT_TRY(Require(numbers || !scaled, at + "label_scale",
                 ranks ? "left out: relevance has no scale" : "left out: classes have no scale",
                 given));
  PT_TRY(Require(!loss.logarithmic || !scaled, at + "label_scale",
                 "\"none\": " + loss.name + " learns counts as they are", given));
  if (!options.label_scale) {
    options.label_scale = numbers && !loss.logarithmic ? Scale::kStandard : Scale::kNone;
  }
  return Status::OK();
}

std::string QuotedList(const std::vector<std::string>& names) { return Dump(Json(names)); }

// Refuses calibration and threshold without validation rows, on which both are fitted, before
// anything starts.
Status CheckDecision(const EstimatorOptions& options, const LossRow& loss, const std::string& at) {
  const TargetKind kind = loss.kind;
  const bool two = kind == TargetKind::kTwoClasses, flags = kind == TargetKind::kFlags;
  const bool calibrated = options.calibration != Calibration::kNone;
  const bool validates = options.train.validation.HoldsOut();
  const Threshold& threshold = options.threshold;
  const Json shown = ToJson(threshold), calibration = fields::Write(options.calibration);
  PT_TRY(Require(two || flags || (threshold.metric.empty() && threshold.at == 0.5),
                 at + "threshold", "left out: it is for binary_cross_entropy", shown));
  PT_TRY(Require(two || !calibrated || options.calibration != Calibration::kIsotonic,
                 at + "calibration", "\"temperature\": isotonic calibrates two classes only",
                 calibration));
  PT_TRY(Require(OfClasses(kind) || flags || !calibrated, at + "calibration",
                 "left out: numbers have no probabilities", calibration));
  if (!threshold.metric.empty()) {
    const std::vector<std::string> names = ThresholdMetrics();
    const bool known = std::find(names.begin(), names.end(), threshold.metric) != names.end();
    PT_TRY(Require(two, at + "threshold", "a number: a metric chooses it for two classes", shown));
    PT_TRY(Require(known, at + "threshold",
                   "a probability between 0 and 1, or one of " + QuotedList(names), shown));
  }
  if (validates || !FitsDecision(options)) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = std::string(calibrated ? "calibration" : "the threshold") +
                       " is fitted on validation rows, and there are none",
               .where = at + (calibrated ? "calibration" : "threshold"),
               .fix = "set train.validation = { share = 0.1 }"});
}

// Refuses options that make no sense for this kind of label, and fills in the default scale.
Status CheckLabels(EstimatorOptions& options, const LossRow& loss, const std::string& at) {
  const TargetKind kind = loss.kind;
  PT_TRY(CheckLabelNames(options, loss, at));
  PT_TRY(Require(options.positive.empty() || kind == TargetKind::kTwoClasses, at + "positive",
                 "left out: it is for one label of binary_cross_entropy", options.positive));
  PT_TRY(Require(options.probabilities.empty() || OfClasses(kind), at + "probabilities",
                 "left out: only classes have a list of probabilities", options.probabilities));
  const Json weights = options.loss.options.value("class_weights", Json("none"));
  PT_TRY(Require(kind != TargetKind::kFlags || weights == "none", at + "loss.class_weights",
                 "left out with several labels: set positive_weight", weights));
  PT_TRY(CheckGroup(options, loss, at));
  PT_TRY(CheckScale(options, loss, at));
  return CheckDecision(options, loss, at);
}

}  // namespace

bool FitsDecision(const EstimatorOptions& options) {
  return options.calibration != Calibration::kNone || !options.threshold.metric.empty();
}

Result<LossRow> LossRowOf(const EstimatorOptions& options, const std::string& path,
                          const Catalogue& catalogue) {
  PT_LET(const LossRow* row,
         FindRow(catalogue.losses, "loss", options.loss.name, fields::Below(path, "loss.name")));
  LossRow loss = *row;
  loss.kind = KindOf(options, loss);
  return loss;
}

Status CompleteLearning(EstimatorOptions& options, const std::string& path,
                        const Catalogue& catalogue) {
  const std::string at = path.empty() ? "" : path + ".";
  PT_LET(const LossRow loss, LossRowOf(options, path, catalogue));
  PT_TRY(CheckLabels(options, loss, at));
  return ChooseMetrics(loss, options.train, at + "train", catalogue);
}

// `best` matters only if there are validation rows to choose by.
Status CheckBest(const EstimatorOptions& options, const std::string& at) {
  const MeasureOptions& train = options.train;
  const auto best = std::find(train.metrics.begin(), train.metrics.end(), train.best);
  if (!train.validation.HoldsOut() || best != train.metrics.end()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "best = \"" + train.best + "\" is not one of the metrics " +
                       Dump(Json(train.metrics)),
               .where = at + "train.best",
               .fix = Suggest(train.best, train.metrics)});
}

Status CheckInputs(const EstimatorOptions& options, const std::string& at) {
  const bool inputs =
      !options.categorical.empty() || !options.numeric.empty() || !options.vectors.empty();
  if (inputs) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "the estimator has no inputs",
               .where = at + "numeric",
               .fix = "set numeric = [...] or categorical = [...]"});
}

}  // namespace protium
