// SPDX-License-Identifier: Apache-2.0
#include "learn/known.h"

#include <algorithm>
#include <span>
#include <utility>

#include "column/metrics.h"
#include "learn/objective.h"

namespace protium {
namespace {

// Refuses a value that a type cannot rule out.
Status Must(bool holds, const std::string& path, const std::string& must, const Json& got) {
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

Status CheckRange(const TorchScriptOptions& options, const std::string& path) {
  PT_TRY(Must(!options.file.empty(), path + ".file", "the path of a file", options.file));
  return Must(!options.inputs.empty(), path + ".inputs", "at least one field", options.inputs);
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

Status CheckRange(const BinaryCrossEntropyOptions& options, const std::string& path) {
  return Must(options.positive_weight > 0, path + ".positive_weight", "above 0",
              options.positive_weight);
}

Status CheckRange(const CrossEntropyOptions& options, const std::string& path) {
  PT_TRY(Must(options.label_smoothing >= 0 && options.label_smoothing < 1,
              path + ".label_smoothing", "at least 0 and below 1", options.label_smoothing));
  const Json& weights = options.class_weights;
  bool fits = weights == "none" || weights == "balanced" || weights.is_object();
  for (const auto& weight : weights.is_object() ? weights : Json::object()) {
    fits = fits && weight.is_number() && weight.get<double>() > 0;
  }
  return Must(fits, path + ".class_weights",
              "\"none\", \"balanced\", or a table of classes with weights above 0", weights);
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
constexpr Known kNets[] = {{"tabular_mlp", CompleteAs<TabularMlpOptions>},
                           {"linear", CompleteAs<NoOptions>},
                           {"torchscript", CompleteAs<TorchScriptOptions>}};
constexpr Known kLosses[] = {{"mse", CompleteAs<NoOptions>},
                             {"mae", CompleteAs<NoOptions>},
                             {"huber", CompleteAs<HuberOptions>},
                             {"poisson", CompleteAs<NoOptions>},
                             {"binary_cross_entropy", CompleteAs<BinaryCrossEntropyOptions>},
                             {"cross_entropy", CompleteAs<CrossEntropyOptions>}};
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
  const auto best = std::find(train.metrics.begin(), train.metrics.end(), train.best);
  if (share == 0 || best != train.metrics.end()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "best = \"" + train.best + "\" is not one of the metrics " +
                       Dump(Json(train.metrics)),
               .where = path + ".best",
               .fix = Suggest(train.best, train.metrics)});
}

std::vector<std::string> UsualMetrics(TargetKind kind) {
  switch (kind) {
    case TargetKind::kValues:
      return {"rmse", "mae"};
    case TargetKind::kTwoClasses:
      return {"log_loss", "auc", "accuracy"};
    case TargetKind::kClasses:
      return {"log_loss", "accuracy"};
  }
  return {};
}

Status ChooseMetrics(TargetKind kind, TrainOptions& train, const std::string& path) {
  if (train.metrics.empty()) train.metrics = UsualMetrics(kind);
  if (train.best.empty()) train.best = train.metrics.front();
  for (size_t i = 0; i < train.metrics.size(); ++i) {
    const Status fits = MetricState::Make({train.metrics[i]}, kind).status();
    if (fits.ok()) continue;
    Fault fault = FaultOf(fits);
    fault.where = path + ".metrics." + std::to_string(i);
    return Fail(std::move(fault));
  }
  if (kind == TargetKind::kValues || train.baseline.empty()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "a straight line is no baseline for classes",
               .where = path + ".baseline",
               .fix = "leave baseline out: classes are compared with their shares"});
}

// What belongs to labels of one kind alone.
Status CheckLabels(TorchEstimatorOptions& options, TargetKind kind, const std::string& at) {
  const bool values = kind == TargetKind::kValues, several = !options.labels.empty();
  if (several != options.label.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = several ? "both label and labels are given" : "there is no label",
                 .where = at + "label",
                 .fix = "set label = \"column\", or labels = [\"a\", \"b\"]"});
  }
  PT_TRY(Must(!several || values, at + "labels", "of values: " + options.loss.name + " learns one",
              options.labels));
  PT_TRY(Must(!several || options.train.baseline.empty(), at + "train.baseline",
              "left out with several labels", options.train.baseline));
  PT_TRY(Must(options.positive.empty() || kind == TargetKind::kTwoClasses, at + "positive",
              "left out: it is for binary_cross_entropy", options.positive));
  PT_TRY(Must(options.probabilities.empty() || !values, at + "probabilities",
              "left out: they are of classes", options.probabilities));
  PT_TRY(Must(values || !options.label_scale || options.label_scale == Scale::kNone,
              at + "label_scale", "left out: classes have no scale", "standard"));
  const bool poisson = options.loss.name == "poisson";
  PT_TRY(Must(!poisson || options.label_scale != Scale::kStandard, at + "label_scale",
              "\"none\": poisson learns counts as they are", "standard"));
  if (!options.label_scale) {
    options.label_scale = values && !poisson ? Scale::kStandard : Scale::kNone;
  }
  return Status::OK();
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
  const TargetKind kind = KindOf(options);
  PT_TRY(CheckLabels(options, kind, at));
  PT_TRY(ChooseMetrics(kind, options.train, at + "train"));
  PT_TRY(CheckTrain(options.train, at + "train"));
  PT_TRY(CheckGang(options, at + "gang"));
  PT_TRY(Must(!options.prediction.empty(), at + "prediction", "a name", options.prediction));
  PT_TRY(Must(!options.probability.empty(), at + "probability", "a name", options.probability));
  const bool inputs =
      !options.categorical.empty() || !options.numeric.empty() || !options.vectors.empty();
  if (inputs) return options;
  return Fail({.exit = Exit::kUsage,
               .what = "the estimator has no inputs",
               .where = at + "numeric",
               .fix = "set numeric = [...] or categorical = [...]"});
}

}  // namespace protium
