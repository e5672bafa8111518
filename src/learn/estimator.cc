// SPDX-License-Identifier: Apache-2.0
#include "learn/known.h"

#include <algorithm>
#include <span>
#include <utility>

#include "column/metrics.h"

namespace protium {
namespace {

// Refuses a value that a type cannot rule out.
Status Must(bool holds, const std::string& path, const char* must, const Json& got) {
  return holds ? Status::OK() : fields::Refuse(path, must, got);
}

Status CheckRange(const TabularMlpOptions& options, const std::string& path) {
  for (const int32_t width : options.hidden) {
    PT_TRY(Must(width >= 1, path + ".hidden", "widths of at least 1", options.hidden));
  }
  PT_TRY(Must(options.dropout >= 0 && options.dropout < 1, path + ".dropout",
              "at least 0 and below 1", options.dropout));
  return Must(!options.embedding || *options.embedding >= 1, path + ".embedding", "at least 1",
              options.embedding.value_or(0));
}

Status CheckRange(const HuberOptions& options, const std::string& path) {
  return Must(options.delta > 0, path + ".delta", "above 0", options.delta);
}

Status CheckRange(const AdamOptions& options, const std::string& path) {
  PT_TRY(
      Must(options.learning_rate > 0, path + ".learning_rate", "above 0", options.learning_rate));
  PT_TRY(
      Must(options.weight_decay >= 0, path + ".weight_decay", "at least 0", options.weight_decay));
  PT_TRY(Must(options.beta1 >= 0 && options.beta1 < 1, path + ".beta1", "at least 0 and below 1",
              options.beta1));
  PT_TRY(Must(options.beta2 >= 0 && options.beta2 < 1, path + ".beta2", "at least 0 and below 1",
              options.beta2));
  return Must(options.epsilon > 0, path + ".epsilon", "above 0", options.epsilon);
}

Status CheckRange(const SgdOptions& options, const std::string& path) {
  PT_TRY(
      Must(options.learning_rate > 0, path + ".learning_rate", "above 0", options.learning_rate));
  PT_TRY(Must(options.momentum >= 0 && options.momentum < 1, path + ".momentum",
              "at least 0 and below 1", options.momentum));
  return Must(options.weight_decay >= 0, path + ".weight_decay", "at least 0",
              options.weight_decay);
}

struct NoOptions {
  template <class Visit>
  void Fields(Visit&) {}
};
Status CheckRange(const NoOptions&, const std::string&) { return Status::OK(); }

template <class T>
Result<Json> CompleteAs(const Json& given, const std::string& path) {
  T options;
  PT_TRY(FieldsFromJson(given, path, options));
  PT_TRY(CheckRange(options, path));
  return FieldsToJson(options);
}

struct Known {
  const char* name;
  Result<Json> (*complete)(const Json& given, const std::string& path);
};
constexpr Known kNets[] = {{"tabular_mlp", CompleteAs<TabularMlpOptions>}};
constexpr Known kLosses[] = {{"mse", CompleteAs<NoOptions>},
                             {"mae", CompleteAs<NoOptions>},
                             {"huber", CompleteAs<HuberOptions>},
                             {"binary_cross_entropy", CompleteAs<NoOptions>}};
constexpr Known kOptimizers[] = {{"adam", CompleteAs<AdamOptions>},
                                 {"sgd", CompleteAs<SgdOptions>}};

std::vector<std::string> NamesOf(std::span<const Known> known) {
  std::vector<std::string> names;
  for (const Known& each : known) names.emplace_back(each.name);
  return names;
}

Status CompleteNamed(std::span<const Known> known, const char* kind, const std::string& path,
                     Named& named) {
  for (const Known& each : known) {
    if (named.name != each.name) continue;
    PT_LET(named.options, each.complete(named.options, path));
    return Status::OK();
  }
  return Fail({.exit = Exit::kUsage,
               .what = std::string("unknown ") + kind + " \"" + named.name + "\"",
               .where = path + ".name",
               .fix = Suggest(named.name, NamesOf(known))});
}

Status CheckValidation(const TrainOptions& train, const std::string& path) {
  const double share = train.validation.share;
  PT_TRY(
      Must(share >= 0 && share < 1, path + ".validation.share", "at least 0 and below 1", share));
  const std::vector<std::string> known = MetricNames();
  for (size_t i = 0; i < train.metrics.size(); ++i) {
    if (std::find(known.begin(), known.end(), train.metrics[i]) != known.end()) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "unknown metric \"" + train.metrics[i] + "\"",
                 .where = path + ".metrics." + std::to_string(i),
                 .fix = Suggest(train.metrics[i], known)});
  }
  const auto best = std::find(train.metrics.begin(), train.metrics.end(), train.best);
  if (share == 0 || best != train.metrics.end()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "best = \"" + train.best + "\" is not one of the metrics " +
                       Dump(Json(train.metrics)),
               .where = path + ".best",
               .fix = Suggest(train.best, train.metrics)});
}

// Labels 0 and 1 are measured as such; errors of logits would mean nothing.
Status ChooseMetrics(bool classes, TrainOptions& train, const std::string& path) {
  const TrainOptions usual;
  if (classes && train.metrics == usual.metrics) {
    train.metrics = {"logloss", "accuracy"};
    if (train.best == usual.best) train.best = "logloss";
  }
  for (size_t i = 0; i < train.metrics.size(); ++i) {
    if (IsOfClasses(train.metrics[i]) == classes) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "metric \"" + train.metrics[i] + "\" does not fit the loss",
                 .where = path + ".metrics." + std::to_string(i),
                 .fix = classes ? "binary_cross_entropy has logloss and accuracy"
                                : "logloss and accuracy are for binary_cross_entropy"});
  }
  if (classes && train.best == "accuracy") {
    return Fail({.exit = Exit::kUsage,
                 .what = "best = \"accuracy\" cannot choose an epoch: the lowest value is kept",
                 .where = path + ".best",
                 .fix = "best = \"logloss\""});
  }
  if (!classes || train.baseline.empty()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "a straight line is no baseline for labels 0 and 1",
               .where = path + ".baseline",
               .fix = "leave baseline out"});
}

Status CheckTrain(const TrainOptions& train, const std::string& path) {
  const std::pair<const char*, int64_t> counts[] = {
      {".epochs", train.epochs},
      {".batch_size", train.batch_size},
      {".shards", train.shards},
      {".keep", train.keep},
      {".threads_per_shard", train.threads_per_shard}};
  for (const auto& [key, value] : counts) {
    PT_TRY(Must(value >= 1, path + key, "at least 1", value));
  }
  PT_TRY(Must(train.clip_norm >= 0, path + ".clip_norm", "at least 0", train.clip_norm));
  PT_TRY(Must(train.checkpoint.every_steps >= 0, path + ".checkpoint.every_steps", "at least 0",
              train.checkpoint.every_steps));
  PT_TRY(Must(train.checkpoint.every_seconds >= 0, path + ".checkpoint.every_seconds", "at least 0",
              train.checkpoint.every_seconds));
  return CheckValidation(train, path);
}

Status CheckGang(const TorchEstimatorOptions& options, const std::string& path) {
  const GangSpec& gang = options.gang;
  PT_TRY(Must(gang.workers >= 1, path + ".workers", "at least 1", gang.workers));
  PT_TRY(Must(gang.cores_per_worker >= 1, path + ".cores_per_worker", "at least 1",
              gang.cores_per_worker));
  PT_TRY(Must(gang.gpus_per_worker >= 0, path + ".gpus_per_worker", "at least 0",
              gang.gpus_per_worker));
  PT_TRY(Must(gang.max_restarts >= 0, path + ".max_restarts", "at least 0", gang.max_restarts));
  PT_TRY(Must(gang.deadline > 0, path + ".deadline", "above 0", gang.deadline));
  if (gang.workers <= options.train.shards) return Status::OK();
  const std::string workers = std::to_string(gang.workers);
  return Fail({.exit = Exit::kUsage,
               .what = "gang.workers = " + workers +
                       " is more than train.shards = " + std::to_string(options.train.shards),
               .where = path + ".workers",
               .why = "a shard is never cut, so a worker beyond them would have nothing to do",
               .fix = "set train.shards = " + workers + " (another number gives other weights)"});
}

}  // namespace

std::vector<std::string> NetNames() { return NamesOf(kNets); }
std::vector<std::string> LossNames() { return NamesOf(kLosses); }
std::vector<std::string> OptimizerNames() { return NamesOf(kOptimizers); }

Result<TorchEstimatorOptions> Complete(TorchEstimatorOptions options, const std::string& path,
                                       const std::vector<std::string>& own_nets) {
  const std::string at = path.empty() ? "" : path + ".";
  if (std::find(own_nets.begin(), own_nets.end(), options.net.name) == own_nets.end()) {
    PT_TRY(CompleteNamed(kNets, "net", at + "net", options.net));
  }
  PT_TRY(CompleteNamed(kLosses, "loss", at + "loss", options.loss));
  PT_TRY(CompleteNamed(kOptimizers, "optimizer", at + "train.optimizer", options.train.optimizer));
  const bool classes = options.loss.name == "binary_cross_entropy";
  PT_TRY(ChooseMetrics(classes, options.train, at + "train"));
  PT_TRY(CheckTrain(options.train, at + "train"));
  PT_TRY(CheckGang(options, at + "gang"));
  PT_TRY(Must(!options.label.empty(), at + "label", "the name of a column", options.label));
  PT_TRY(Must(!options.prediction.empty(), at + "prediction", "a name", options.prediction));
  if (!options.label_scale) options.label_scale = classes ? Scale::kNone : Scale::kStandard;
  if (classes && options.label_scale != Scale::kNone) {
    return Fail({.exit = Exit::kUsage,
                 .what = "binary_cross_entropy learns labels 0 and 1, which must not be scaled",
                 .where = at + "label_scale",
                 .fix = "set label_scale = \"none\""});
  }
  if (!options.categorical.empty() || !options.numeric.empty()) return options;
  return Fail({.exit = Exit::kUsage,
               .what = "the estimator has no inputs",
               .where = at + "numeric",
               .fix = "set numeric = [...] or categorical = [...]"});
}

}  // namespace protium
