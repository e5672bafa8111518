// SPDX-License-Identifier: Apache-2.0
// The estimator "torch_estimator": nets, trained by the task "train" (src/learning/tasks). Nets
// made of layers (nets/layers.h) can also predict in the calling process, others as graphs
// (model/row_graph.h).
#include <utility>

#include "base/fault.h"
#include "model/check_changes.h"
#include "model/net_file.h"
#include "model/row_graph.h"
#include "model/row_net.h"
#include "model/start_file.h"
#include "model/start_stages.h"
#include "nets/layers.h"
#include "pipeline/chain.h"
#include "pipeline/estimator.h"
#include "protium/stage_options.h"
#include "recipe/changes.h"
#include "recipe/moves_rows.h"

namespace protium {

StageRow TorchEstimatorRow();

// Outside the unnamed namespace, where EstimatorKindOf finds them.
static EstimatorOptions CommonOf(const TorchEstimatorOptions& own) {
  const TrainOptions& train = own.train;
  return {.id = own.id,
          .categorical = own.categorical,
          .numeric = own.numeric,
          .vectors = own.vectors,
          .label = own.label,
          .labels = own.labels,
          .positive = own.positive,
          .weight = own.weight,
          .label_scale = own.label_scale,
          .loss = own.loss,
          .prediction = own.prediction,
          .probability = own.probability,
          .probabilities = own.probabilities,
          .unseen_class = own.unseen_class,
          .threshold = own.threshold,
          .calibration = own.calibration,
          .train = {train.validation, train.metrics, train.best, train.baseline, train.seed},
          .gang = own.gang};
}

// The other options are not completed.
static void TakeCommon(const EstimatorOptions& common, TorchEstimatorOptions& own) {
  own.id = common.id;
  own.label_scale = common.label_scale;
  own.train.metrics = common.train.metrics;
  own.train.best = common.train.best;
  own.train.baseline = common.train.baseline;
}

namespace {

// Fails, naming the nets that support the precision, if the chosen one does not.
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

// On devices nets compute whole gradients.
Status CheckTables(const TorchEstimatorOptions& options, const std::string& at) {
  const std::string& name = options.train.optimizer.name;
  if (options.gang.gpus_per_worker == 0 || !NeedsTables(options.train.optimizer)) {
    return Status::OK();
  }
  return Fail({.exit = Exit::kUsage,
               .what = "the optimizer " + name + " is for training on the CPU",
               .where = at + "train.optimizer.name",
               .why = "it moves only rows of tables that were read, and a net on a GPU does not "
                      "say which these are",
               .fix = "choose another one, or set gang.gpus_per_worker = 0"});
}

// Which nets have rows by id, and where.
Status CheckReadsIds(const TorchEstimatorOptions& options, const std::string& at) {
  const auto refuse = [&](std::string what, const char* key, std::string fix) {
    return Fail({.exit = Exit::kUsage, .what = std::move(what), .where = at + key, .fix = fix});
  };
  if (!IsLayered(options.net.name)) {
    return refuse("the net " + options.net.name + " does not read ids", "net.name",
                  "choose one of " + Dump(Json(LayeredNetNames())) + ", or index the columns");
  }
  if (options.gang.gpus_per_worker > 0) {
    return refuse("nets read ids on the CPU only", "gang.gpus_per_worker", "set it to 0");
  }
  if (options.train.continues.empty()) return Status::OK();
  return refuse("a training of a net of ids is not continued in another run", "train.continues",
                "leave it out, and begin with the weights of its model: train.from");
}

// What rows on servers are not built for.
Status CheckServers(const TorchEstimatorOptions& options, const std::string& at) {
  const TrainOptions& train = options.train;
  if (options.gang.servers == 0) return Status::OK();
  const auto refuse = [&](std::string what, const std::string& key, std::string fix) {
    return Fail({.exit = Exit::kUsage,
                 .what = "with gang.servers above 0 " + what,
                 .where = at + key,
                 .fix = fix + ", or set gang.servers to 0"});
  };
  if (!AlwaysMovesReadRowsOnly(train)) {
    return refuse("the optimizer may move only rows that a step reads", "train.optimizer",
                  "set it to one of sgd without momentum, adagrad (both without weight_decay), "
                  "rowwise_adagrad, lazy_adam");
  }
  if (train.mode == TrainMode::kLocal) {
    return refuse("steps of the mode \"local\" are not made", "train.mode",
                  "set it to \"exact\" or \"server\"");
  }
  if (!train.share_optimizer) return Status::OK();
  return refuse("workers cannot share the optimizer: servers hold the state of their rows",
                "train.share_optimizer", "leave it out");
}

// What steps that servers make one gradient at a time are not built for.
Status CheckAsynchronous(const TorchEstimatorOptions& options, const std::string& at) {
  const TrainOptions& train = options.train;
  const auto refuse = [&](std::string what, const char* key, std::string why, std::string fix) {
    return Fail({.exit = Exit::kUsage,
                 .what = std::move(what),
                 .where = at + key,
                 .why = std::move(why),
                 .fix = fix + ", or train.mode to \"exact\""});
  };
  if (train.mode == TrainMode::kServer && options.gang.servers == 0) {
    return refuse("mode \"server\" needs servers, and gang.servers is 0", "gang.servers",
                  "servers hold the weights that workers read and move", "set it to 1");
  }
  if (!train.asynchronous()) return Status::OK();
  if (train.average > 0) {
    return refuse("with mode \"server\" weights are not averaged", "train.average",
                  "workers make steps at different times, so there are no weights of a step",
                  "set it to 0");
  }
  if (train.gradients == Precision::kFloat32) return Status::OK();
  return refuse("with mode \"server\" gradients are not rounded", "train.gradients",
                "they travel in the memory of this machine", "set it to \"float32\"");
}

// The weights depend on the number of shards, so it is not silently raised to suit the workers.
Status CheckGang(const TorchEstimatorOptions& options, const std::string& path) {
  const GangSpec& gang = options.gang;
  if (gang.workers.max <= options.train.shards) return Status::OK();
  const std::string workers = std::to_string(gang.workers.max);
  return Fail(
      {.exit = Exit::kUsage,
       .what = "gang.workers = " + workers +
               " is more than train.shards = " + std::to_string(options.train.shards),
       .where = path + ".workers",
       .why = "a shard is never split, so the other workers would have nothing to do",
       .fix = "set train.shards = " + workers + " (a different number gives different weights)"});
}

// Shards are distributed whole, so with 4 shards on 3 workers one has two and the others idle half
// the time: "idle_share" is 1 - shards / (most * workers).
// "tables": whether a step moves whole tables of categories or only rows that it reads; on a GPU it
// always moves all.
Json Describe(const TorchEstimatorOptions& options) {
  const int32_t workers = options.gang.workers.max, shards = options.train.shards;
  const int32_t most = (shards + workers - 1) / workers;
  Json training = {{"workers", workers},
                   {"shards", shards},
                   {"most_shards_per_worker", most},
                   {"idle_share", 1 - double(shards) / (double(most) * workers)},
                   {"batch_size", options.train.batch_size},
                   {"epochs", options.train.epochs}};
  if (options.gang.servers > 0) training["servers"] = options.gang.servers;
  if (options.train.mode == TrainMode::kLocal) training["steps_alone"] = options.train.local.every;
  if (options.train.asynchronous()) training["staleness"] = ToJson(options.train.staleness);
  if (options.train.gradients != Precision::kFloat32) training["gradients"] = "bfloat16";
  if (options.train.share_optimizer) training["shared"] = true;
  const bool host = options.gang.gpus_per_worker == 0;
  if (host && !options.categorical.empty() && IsLayered(options.net.name)) {
    training["tables"] = AlwaysMovesReadRowsOnly(options.train) ? "rows" : "whole";
    training["optimizer"] = options.train.optimizer.name;
  }
  return training;
}

// What a gang whose workers share the optimizer cannot do.
Status CheckShared(const TorchEstimatorOptions& options, const std::string& at) {
  if (!options.train.share_optimizer) return Status::OK();
  if (options.train.mode == TrainMode::kLocal) {
    return Fail({.exit = Exit::kUsage,
                 .what = "with mode \"local\" workers cannot share the optimizer",
                 .where = at + "train.share_optimizer",
                 .why = "every shard makes steps alone, with a state of its own",
                 .fix = "leave it out, or set train.mode = \"exact\""});
  }
  if (!options.gang.workers.bends()) return Status::OK();
  return Fail(
      {.exit = Exit::kUsage,
       .what = "workers of an elastic gang cannot share the optimizer",
       .where = at + "train.share_optimizer",
       .why = "one that is gone takes its part of the state along",
       .fix = "leave it out, or set gang.workers = " + std::to_string(options.gang.workers.max)});
}

Status CheckGradients(const TorchEstimatorOptions& options, const std::string& at) {
  if (options.train.gradients == Precision::kFloat32) return Status::OK();
  const bool apart = options.train.mode == TrainMode::kLocal;
  if (!apart && options.gang.gpus_per_worker == 0) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = apart ? "with mode \"local\" no gradients travel that could be rounded"
                             : "gradients are rounded to bfloat16 on the CPU only",
               .where = at + "train.gradients",
               .fix = apart ? "set it to \"float32\", or train.mode to \"exact\""
                            : "set it to \"float32\", or gang.gpus_per_worker to 0"});
}

Status CheckMode(const TorchEstimatorOptions& options, const std::string& at) {
  PT_TRY(CheckShared(options, at));
  PT_TRY(CheckAsynchronous(options, at));
  PT_TRY(CheckGradients(options, at));
  if (options.train.mode != TrainMode::kLocal || options.gang.gpus_per_worker == 0) {
    return Status::OK();
  }
  return Fail({.exit = Exit::kUsage,
               .what = "mode \"local\" is for training on the CPU",
               .where = at + "train.mode",
               .fix = "set it to \"exact\", or gang.gpus_per_worker to 0"});
}

Status CheckNetLoss(const Choice& loss, const std::string& at, const Catalogue& catalogue) {
  PT_LET(const LossRow* found, FindRow(catalogue.losses, "loss", loss.name, at + "loss.name"));
  if (found->kind != TargetKind::kRelevance) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "nets cannot learn with the loss \"" + loss.name + "\"",
               .where = at + "loss.name",
               .why = "it ranks rows within groups, and batches cut these apart",
               .fix = "set kind = \"tree_estimator\", or choose another loss"});
}

Status OnlyInWorkers(const std::string& net) {
  return Fail({.exit = Exit::kUsage,
               .what = "the net " + net + " is computed by LibTorch, in workers alone",
               .where = "net",
               .why = "a net of your own is code that only LibTorch runs",
               .fix = "score tables with it (protium predict)"});
}

class TorchEstimatorKind : public EstimatorKindOf<TorchEstimatorOptions> {
 public:
  AnyOptions ForAllRows(const AnyOptions& own, int64_t best_epoch) const override {
    TorchEstimatorOptions options = Typed(own);
    if (!FitsDecision(CommonOf(options))) options.train.validation.HoldOutNothing();
    options.train.early_stopping.patience = 0;
    if (best_epoch > 0) options.train.epochs = best_epoch;
    return options;
  }
  Json DescribeTraining(const AnyOptions& own) const override { return Describe(Typed(own)); }

  Status CheckColumns(const AnyOptions& own, const NetColumns& columns, const std::string& path,
                      const Catalogue& catalogue) const override {
    const Choice net = Typed(own).net;
    PT_LET(const NetRow* row, FindRow(catalogue.nets, "net", net.name, path + ".net.name"));
    return row->check ? row->check(net.options, columns, path + ".net") : Status::OK();
  }
  Status CheckIds(const AnyOptions& own, const std::string& path) const override {
    return CheckReadsIds(Typed(own), path + ".");
  }
  Status FindFiles(const FilesFrom& from, const std::string& path, AnyOptions& own) const override {
    TorchEstimatorOptions options = Typed(own);
    PT_TRY(FindNetFile(from.base, options.net));
    PT_TRY(FindStart(from, path, options.train.from));
    own = std::move(options);
    return Status::OK();
  }
  Status KeepFiles(const std::filesystem::path& run, AnyOptions& own) const override {
    TorchEstimatorOptions options = Typed(own);
    PT_TRY(KeepNetFile(run, options.net));
    PT_TRY(KeepStartStages(run, options.train.from));
    PT_TRY(KeepStart(run, options.train.from));
    own = std::move(options);
    return Status::OK();
  }
  // Some of the parameters, taken by their names, may belong to other columns.
  Result<std::optional<StagesBefore>> KeptStages(const AnyOptions& own) const override {
    const ModelOrStart from = Typed(own).train.from;
    if (!from.parameters.empty()) return std::optional<StagesBefore>();
    PT_LET(std::optional<StagesBefore> before, StagesOfStart(from));
    if (before) before->required = false;
    return before;
  }

  std::string task() const override { return "train"; }
  bool NeedsLibTorch(const Chain& chain, bool gpus) const override {
    // An extension links LibTorch, whatever it provides.
    if (gpus || !chain.ExtensionFiles().empty()) return true;
    return !IsLayered(Typed(chain.options.back().options).net.name) ||
           chain.estimator->loss.builder != nullptr;
  }
  bool elastic() const override { return true; }
  bool packs_rows() const override { return true; }
  void Configure(const AnyOptions& own, TrainConfig& config) const override {
    config.train = Typed(own).train;
  }
  std::string Continues(const AnyOptions& own) const override { return Typed(own).train.continues; }
  void ContinueAfter(int64_t made, TrainConfig& config) const override {
    config.train.epochs += made;
  }

  Choice Predicts(const AnyOptions& own) const override { return Typed(own).net; }
  // Models of earlier releases lack newer options of nets.
  Result<Choice> FromFolder(const std::filesystem::path& folder, Choice net,
                            const Catalogue& catalogue) const override {
    PT_TRY(CompleteNamed(catalogue.nets, "net", "net", net));
    PT_TRY(FindNetFile(folder, net));
    return net;
  }
  Choice IntoFolder(Choice net,
                    std::map<std::string, std::filesystem::path>& files) const override {
    return NetIntoFolder(std::move(net), files);
  }
  AnyOptions WithPredicts(const AnyOptions& own, const Choice& net) const override {
    TorchEstimatorOptions options = Typed(own);
    options.net = net;
    return options;
  }
  ExplainsFrom ExplainedFrom(const AnyOptions&) const override { return ExplainsFrom::kBackground; }
  Result<std::shared_ptr<const RowPredictor>> Open(
      const NetConfig& config, const std::filesystem::path& weights) const override {
    if (IsLayered(config.net.name)) return OpenRowNet(config, weights);
    if (IsRunAsGraph(config.net.name)) return OpenRowGraph(config, weights);
    return OnlyInWorkers(config.net.name);
  }

 protected:
  Result<TorchEstimatorOptions> CompleteOwn(TorchEstimatorOptions options, const std::string& path,
                                            const Catalogue& catalogue) const override {
    // Names first, since ranges and defaults depend on them; then what depends on the loss.
    const std::string at = path.empty() ? "" : path + ".";
    TrainOptions& train = options.train;
    PT_TRY(CompleteNamed(catalogue.nets, "net", at + "net", options.net));
    PT_TRY(CompleteNamed(catalogue.losses, "loss", at + "loss", options.loss));
    PT_TRY(CheckNetLoss(options.loss, at, catalogue));
    PT_TRY(
        CompleteNamed(catalogue.optimizers, "optimizer", at + "train.optimizer", train.optimizer));
    PT_TRY(CompleteNamed(catalogue.schedules, "schedule", at + "train.schedule", train.schedule));
    PT_TRY(CheckChanges(train, at + "train.changes", catalogue));
    PT_TRY(train.Check(at + "train"));
    EstimatorOptions common = CommonOf(options);
    PT_TRY(CompleteLearning(common, path, catalogue));
    TakeCommon(common, options);
    // Checks ranges when all options have their values.
    PT_TRY(CheckFields(options, path));
    PT_TRY(CheckBest(common, at));
    PT_TRY(CheckGang(options, at + "gang"));
    PT_TRY(CheckPrecision(options, at, catalogue));
    PT_TRY(CheckMode(options, at));
    PT_TRY(CheckServers(options, at));
    PT_TRY(CheckTables(options, at));
    PT_TRY(CheckInputs(common, at));
    return options;
  }
};

}  // namespace

StageRow TorchEstimatorRow() {
  return MakeEstimatorRow<TorchEstimatorKind, TorchEstimatorOptions>(
      kTorchEstimator, "trains a net with a gang of workers; adds its predictions");
}

}  // namespace protium
