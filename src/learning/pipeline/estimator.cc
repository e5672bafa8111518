// SPDX-License-Identifier: Apache-2.0
#include "pipeline/estimator.h"

#include <algorithm>
#include <utility>

#include "base/nearest.h"
#include "metrics/fit_decision.h"
#include "pipeline/learn_label.h"

namespace protium {
namespace {

// Replaces the options given for a named choice by the complete ones.
template <class Row>
Status CompleteNamed(const std::vector<Row>& rows, const char* what, const std::string& path,
                     Choice& choice) {
  PT_LET(const Row* row, FindRow(rows, what, choice.name, path + ".name"));
  PT_LET(choice.options, row->complete(choice.options, path));
  return Status::OK();
}

// `best` matters only if there are validation rows to choose by.
Status CheckValidation(const TrainOptions& train, const std::string& path) {
  const auto best = std::find(train.metrics.begin(), train.metrics.end(), train.best);
  if (train.validation.share == 0 || best != train.metrics.end()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "best = \"" + train.best + "\" is not one of the metrics " +
                       Dump(Json(train.metrics)),
               .where = path + ".best",
               .fix = Suggest(train.best, train.metrics)});
}

// The first is also `best`, the one that chooses the epoch, unless that is set.
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
  }
  return {};
}

// Each metric must exist and be able to measure what the loss learns.
Status CheckMetrics(const LossRow& loss, const TrainOptions& train, const std::string& path,
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

// Fills in the metrics and `best` by the kind of loss, and refuses a baseline column for all but
// values.
Status ChooseMetrics(const LossRow& loss, TrainOptions& train, const std::string& path,
                     const Catalogue& catalogue) {
  if (train.metrics.empty()) train.metrics = UsualMetrics(loss.kind);
  if (train.best.empty()) train.best = train.metrics.front();
  PT_TRY(CheckMetrics(loss, train, path, catalogue));
  // Ranks look it up even where no row is held out to measure it on.
  PT_TRY(FindMetricRow(catalogue.metrics, train.best, path + ".best").status());
  if (loss.kind == TargetKind::kValues || train.baseline.empty()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "only numbers have a straight-line baseline",
               .where = path + ".baseline",
               .fix = loss.kind == TargetKind::kQuantiles
                          ? "leave baseline out: quantiles are compared with those of the label"
                          : "leave baseline out: classes are compared with their shares"});
}

// Names the nets that can where the chosen one cannot.
Status CheckPrecision(const TorchEstimatorOptions& options, const std::string& at,
                      const Catalogue& catalogue) {
  if (options.train.precision == Precision::kFloat32) return Status::OK();
  if (options.gang.gpus_per_worker > 0) {
    return Fail({.exit = Exit::kUsage,
                 .what = "precision \"bfloat16\" is for training on the CPU",
                 .where = at + "train.precision",
                 .fix = "leave it out, or set gang.gpus_per_worker = 0"});
  }
  PT_LET(const NetRow* net, FindRow(catalogue.nets, "net", options.net.name, at + "net.name"));
  if (!net->float32_only) return Status::OK();
  std::vector<std::string> others;
  for (const NetRow& row : catalogue.nets) {
    if (!row.float32_only) others.push_back(row.name);
  }
  return Fail({.exit = Exit::kUsage,
               .what = "the net " + net->name + " computes in float32 only",
               .where = at + "train.precision",
               .fix = "leave precision out, or choose one of " + Dump(Json(others))});
}

// The number of shards decides the weights, so it is not raised silently to fit the workers.
Status CheckGang(const TorchEstimatorOptions& options, const std::string& path) {
  const GangSpec& gang = options.gang;
  if (gang.workers.max <= options.train.shards) return Status::OK();
  const std::string workers = std::to_string(gang.workers.max);
  return Fail({.exit = Exit::kUsage,
               .what = "gang.workers = " + workers +
                       " is more than train.shards = " + std::to_string(options.train.shards),
               .where = path + ".workers",
               .why = "a shard is never split, so the other workers would have nothing to do",
               .fix = "set train.shards = " + workers + " (another number gives other weights)"});
}

// Refuses (Exit::kUsage) an option's value unless `holds`; `must` completes "... must be".
Status Require(bool holds, const std::string& path, const std::string& must, const Json& got) {
  return holds ? Status::OK() : fields::Refuse(path, must, got);
}

// Which of `label` and `labels` is given, and that the loss can learn it.
Status CheckLabelNames(const TorchEstimatorOptions& options, const LossRow& loss,
                       const std::string& at) {
  const bool several = !options.labels.empty();
  if (several != options.label.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = several ? "both label and labels are given" : "there is no label",
                 .where = at + "label",
                 .fix = "set label = \"column\", or labels = [\"a\", \"b\"]"});
  }
  PT_TRY(Require(!several || !OfClasses(loss.kind), at + "labels",
                 "left out: " + options.loss.name + " learns one label", options.labels));
  PT_TRY(Require(!several || options.train.baseline.empty(), at + "train.baseline",
                 "left out with several labels", options.train.baseline));
  if (loss.kind != TargetKind::kQuantiles) return Status::OK();
  return LevelsOf(options).status();
}

// The scale of numbers; classes and flags have none. Fills in the default.
Status CheckScale(TorchEstimatorOptions& options, const LossRow& loss, const std::string& at) {
  const bool numbers = OfNumbers(loss.kind);
  const Json given = options.label_scale ? fields::Write(*options.label_scale) : Json();
  const bool scaled = options.label_scale && options.label_scale != Scale::kNone;
  PT_TRY(Require(numbers || !scaled, at + "label_scale", "left out: classes have no scale", given));
  PT_TRY(Require(!loss.logarithmic || !scaled, at + "label_scale",
                 "\"none\": " + loss.name + " learns counts as they are", given));
  if (!options.label_scale) {
    options.label_scale = numbers && !loss.logarithmic ? Scale::kStandard : Scale::kNone;
  }
  return Status::OK();
}

std::string QuotedList(const std::vector<std::string>& names) { return Dump(Json(names)); }

// Both are fitted on validation rows, so without any they are refused before anything starts.
Status CheckDecision(const TorchEstimatorOptions& options, const LossRow& loss,
                     const std::string& at) {
  const TargetKind kind = loss.kind;
  const bool two = kind == TargetKind::kTwoClasses, flags = kind == TargetKind::kFlags;
  const bool calibrated = options.calibration != Calibration::kNone;
  const bool validates = options.train.validation.share > 0;
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
Status CheckLabels(TorchEstimatorOptions& options, const LossRow& loss, const std::string& at) {
  const TargetKind kind = loss.kind;
  PT_TRY(CheckLabelNames(options, loss, at));
  PT_TRY(Require(options.positive.empty() || kind == TargetKind::kTwoClasses, at + "positive",
                 "left out: it is for one label of binary_cross_entropy", options.positive));
  PT_TRY(Require(options.probabilities.empty() || OfClasses(kind), at + "probabilities",
                 "left out: only classes have a list of probabilities", options.probabilities));
  const Json weights = options.loss.options.value("class_weights", Json("none"));
  PT_TRY(Require(kind != TargetKind::kFlags || weights == "none", at + "loss.class_weights",
                 "left out with several labels: set positive_weight", weights));
  PT_TRY(CheckScale(options, loss, at));
  return CheckDecision(options, loss, at);
}

}  // namespace

bool FitsDecision(const TorchEstimatorOptions& options) {
  return options.calibration != Calibration::kNone || !options.threshold.metric.empty();
}

Result<TorchEstimatorOptions> Complete(TorchEstimatorOptions options, const std::string& path,
                                       const Catalogue& catalogue) {
  // Names first, since ranges and defaults depend on them; then what depends on the loss.
  const std::string at = path.empty() ? "" : path + ".";
  PT_TRY(CompleteNamed(catalogue.nets, "net", at + "net", options.net));
  PT_TRY(CompleteNamed(catalogue.losses, "loss", at + "loss", options.loss));
  PT_TRY(CompleteNamed(catalogue.optimizers, "optimizer", at + "train.optimizer",
                       options.train.optimizer));
  PT_TRY(CompleteNamed(catalogue.schedules, "schedule", at + "train.schedule",
                       options.train.schedule));
  PT_TRY(options.train.Check(at + "train"));
  PT_LET(const LossRow* row,
         FindRow(catalogue.losses, "loss", options.loss.name, at + "loss.name"));
  LossRow loss = *row;
  loss.kind = KindOf(options, loss);
  PT_TRY(CheckLabels(options, loss, at));
  PT_TRY(ChooseMetrics(loss, options.train, at + "train", catalogue));
  // Ranges are checked once all options have their values.
  PT_TRY(CheckFields(options, path));
  PT_TRY(CheckValidation(options.train, at + "train"));
  PT_TRY(CheckGang(options, at + "gang"));
  PT_TRY(CheckPrecision(options, at, catalogue));
  const bool inputs =
      !options.categorical.empty() || !options.numeric.empty() || !options.vectors.empty();
  if (inputs) return options;
  return Fail({.exit = Exit::kUsage,
               .what = "the estimator has no inputs",
               .where = at + "numeric",
               .fix = "set numeric = [...] or categorical = [...]"});
}

Result<TorchEstimatorOptions> ReadEstimator(const StageOptions& stage, const std::string& path) {
  TorchEstimatorOptions options;
  PT_TRY(FieldsFromJson(stage.options, path, options));
  return options;
}

}  // namespace protium
