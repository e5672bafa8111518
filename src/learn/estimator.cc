// SPDX-License-Identifier: Apache-2.0
#include "learn/estimator.h"

#include <algorithm>
#include <utility>

namespace protium {
namespace {

// Puts the options of what `named` names in place of those given.
template <class Row>
Status CompleteNamed(const std::vector<Row>& rows, const char* what, const std::string& path,
                     Named& named) {
  PT_LET(const Row* row, FindRow(rows, what, named.name, path + ".name"));
  PT_LET(named.options, row->complete(named.options, path));
  return Status::OK();
}

Status CheckValidation(const TrainOptions& train, const std::string& path) {
  const auto best = std::find(train.metrics.begin(), train.metrics.end(), train.best);
  if (train.validation.share == 0 || best != train.metrics.end()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "best = \"" + train.best + "\" is not one of the metrics " +
                       Dump(Json(train.metrics)),
               .where = path + ".best",
               .fix = Suggest(train.best, train.metrics)});
}

std::string NamesOfClasses(const Catalogue& catalogue) {
  std::string names;
  for (const MetricRow& row : catalogue.metrics) {
    if (row.of_classes) names += (names.empty() ? "" : " and ") + row.name;
  }
  return names;
}

Status CheckMetrics(const LossRow& loss, const TrainOptions& train, const std::string& path,
                    const Catalogue& catalogue) {
  for (size_t i = 0; i < train.metrics.size(); ++i) {
    const std::string at = path + ".metrics." + std::to_string(i);
    PT_LET(const MetricRow* row, FindRow(catalogue.metrics, "metric", train.metrics[i], at));
    if (row->of_classes == loss.of_classes) continue;
    const std::string names = NamesOfClasses(catalogue);
    return Fail({.exit = Exit::kUsage,
                 .what = "metric \"" + row->name + "\" does not fit the loss",
                 .where = at,
                 .fix = loss.of_classes ? loss.name + " has " + names
                                        : names + " are for binary_cross_entropy"});
  }
  return Status::OK();
}

// Labels 0 and 1 are measured as such; errors of logits would mean nothing.
Status ChooseMetrics(const LossRow& loss, TrainOptions& train, const std::string& path,
                     const Catalogue& catalogue) {
  const TrainOptions usual;
  if (loss.of_classes && train.metrics == usual.metrics) {
    train.metrics = {"logloss", "accuracy"};
    if (train.best == usual.best) train.best = "logloss";
  }
  PT_TRY(CheckMetrics(loss, train, path, catalogue));
  for (const MetricRow& row : catalogue.metrics) {
    if (row.name != train.best || !row.higher_is_better || !loss.of_classes) continue;
    return Fail(
        {.exit = Exit::kUsage,
         .what = "best = \"" + row.name + "\" cannot choose an epoch: the lowest value is kept",
         .where = path + ".best",
         .fix = "best = \"logloss\""});
  }
  if (!loss.of_classes || train.baseline.empty()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "a straight line is no baseline for labels 0 and 1",
               .where = path + ".baseline",
               .fix = "leave baseline out"});
}

Status CheckGang(const TorchEstimatorOptions& options, const std::string& path) {
  const GangSpec& gang = options.gang;
  if (gang.workers <= options.train.shards) return Status::OK();
  const std::string workers = std::to_string(gang.workers);
  return Fail({.exit = Exit::kUsage,
               .what = "gang.workers = " + workers +
                       " is more than train.shards = " + std::to_string(options.train.shards),
               .where = path + ".workers",
               .why = "a shard is never cut, so a worker beyond them would have nothing to do",
               .fix = "set train.shards = " + workers + " (another number gives other weights)"});
}

// Labels 0 and 1 stay as they are.
Status ChooseLabelScale(const LossRow& loss, TorchEstimatorOptions& options,
                        const std::string& path) {
  if (!options.label_scale) {
    options.label_scale = loss.of_classes ? Scale::kNone : Scale::kStandard;
  }
  if (!loss.of_classes || options.label_scale == Scale::kNone) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = loss.name + " learns labels 0 and 1, which must not be scaled",
               .where = path,
               .fix = "set label_scale = \"none\""});
}

}  // namespace

Result<TorchEstimatorOptions> Complete(TorchEstimatorOptions options, const std::string& path,
                                       const Catalogue& catalogue) {
  const std::string at = path.empty() ? "" : path + ".";
  PT_TRY(CompleteNamed(catalogue.nets, "net", at + "net", options.net));
  PT_TRY(CompleteNamed(catalogue.losses, "loss", at + "loss", options.loss));
  PT_TRY(CompleteNamed(catalogue.optimizers, "optimizer", at + "train.optimizer",
                       options.train.optimizer));
  PT_LET(const LossRow* loss,
         FindRow(catalogue.losses, "loss", options.loss.name, at + "loss.name"));
  PT_TRY(ChooseMetrics(*loss, options.train, at + "train", catalogue));
  PT_TRY(CheckFields(options, path));
  PT_TRY(CheckValidation(options.train, at + "train"));
  PT_TRY(CheckGang(options, at + "gang"));
  PT_TRY(ChooseLabelScale(*loss, options, at + "label_scale"));
  if (!options.categorical.empty() || !options.numeric.empty()) return options;
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
