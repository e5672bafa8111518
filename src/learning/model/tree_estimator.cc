// SPDX-License-Identifier: Apache-2.0
// The estimator "tree_estimator": forests of boosted trees (src/learning/trees), grown by the task
// "train_trees" (src/learning/tasks), without LibTorch.
#include <algorithm>
#include <set>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "model/forest_config.h"
#include "model/row_forest.h"
#include "model/start_forest.h"
#include "model/start_stages.h"
#include "pipeline/chain.h"
#include "pipeline/estimator.h"
#include "protium/stage_options.h"

namespace protium {

StageRow TreeEstimatorRow();

// Outside the unnamed namespace, where EstimatorKindOf finds them.
static EstimatorOptions CommonOf(const TreeEstimatorOptions& own) {
  const TreeTrainOptions& train = own.train;
  return {.id = own.id,
          .categorical = own.categorical,
          .numeric = own.numeric,
          .vectors = own.vectors,
          .label = own.label,
          .labels = own.labels,
          .positive = own.positive,
          .weight = own.weight,
          .group = own.group,
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
static void TakeCommon(const EstimatorOptions& common, TreeEstimatorOptions& own) {
  own.id = common.id;
  own.label_scale = common.label_scale;
  own.train.metrics = common.train.metrics;
  own.train.best = common.train.best;
  own.train.baseline = common.train.baseline;
  own.train.validation.by = common.train.validation.by;
  own.train.validation.by_time = common.train.validation.by_time;
}

namespace {

// Packed rows are cut into as many shards, or as many as there are workers if these are more. The
// forest does not depend on it: ranks own whole shards, and an elastic gang moves them.
constexpr int32_t kShards = 64;

int32_t ShardsOf(const TreeEstimatorOptions& options) {
  return std::max(kShards, options.gang.workers.max);
}

Status CheckLoss(const Choice& loss, const std::string& at) {
  static constexpr const char* kKnown[] = {"mse",
                                           "mae",
                                           "huber",
                                           "poisson",
                                           "tweedie",
                                           "quantile",
                                           "binary_cross_entropy",
                                           "cross_entropy",
                                           "lambdarank"};
  if (std::ranges::find(kKnown, loss.name) != std::end(kKnown)) return Status::OK();
  const std::vector<std::string> known(std::begin(kKnown), std::end(kKnown));
  return Fail({.exit = Exit::kUsage,
               .what = "trees cannot learn with the loss \"" + loss.name + "\"",
               .where = at + "loss.name",
               .why = "they need its second derivative",
               .fix = "one of: " + Dump(Json(known))});
}

Status CheckOfTrees(const TreeEstimatorOptions& options, const std::string& at) {
  if (!options.vectors.empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "trees do not read columns of lists",
                 .where = at + "vectors",
                 .fix = "make a column of each number with the stage vector_columns, and name it "
                        "in numeric"});
  }
  if (options.gang.gpus_per_worker > 0) {
    return Fail({.exit = Exit::kUsage,
                 .what = "trees grow on the CPU",
                 .where = at + "gang.gpus_per_worker",
                 .fix = "leave it out"});
  }
  const TreeTrainOptions& train = options.train;
  if (train.early_stopping.patience > 0 && !train.validation.HoldsOut()) {
    return fields::Refuse(at + "train.early_stopping.patience",
                          "0 without validation rows: set validation.share",
                          train.early_stopping.patience);
  }
  return CheckContinues(train.continues, train.from, at + "train.continues");
}

// Finds names among columns, each at most once.
class NamedOnce {
 public:
  NamedOnce(std::vector<std::string> columns, bool more, const char* what)
      : columns_(std::move(columns)), more_(more), what_(what) {}

  Status Take(const std::string& name, const std::string& where) {
    if (!more_ && std::ranges::find(columns_, name) == columns_.end()) {
      return Fail({.exit = Exit::kUsage,
                   .what = "\"" + name + "\" is not one of the " + what_,
                   .where = where,
                   .fix = Suggest(name, columns_)});
    }
    if (taken_.insert(name).second) return Status::OK();
    return Fail({.exit = Exit::kUsage,
                 .what = "\"" + name + "\" is named twice",
                 .where = where,
                 .fix = "name it once"});
  }

 private:
  std::vector<std::string> columns_;
  bool more_;  // Columns are still unknown.
  std::string what_;
  std::set<std::string> taken_;
};

Status CheckMonotone(const TreeOptions& trees, const NetColumns& columns, const std::string& path) {
  NamedOnce numbers(columns.numeric, columns.more, "columns of numeric");
  for (size_t i = 0; i < trees.monotone.size(); ++i) {
    PT_TRY(numbers.Take(trees.monotone[i].column,
                        path + ".trees.monotone." + std::to_string(i) + ".column"));
  }
  return Status::OK();
}

// A column may be in several lists, but not twice in one.
Status CheckInteractions(const TreeOptions& trees, const NetColumns& columns,
                         const std::string& path) {
  std::vector<std::string> all = columns.numeric;
  all.insert(all.end(), columns.categorical.begin(), columns.categorical.end());
  for (size_t i = 0; i < trees.interactions.size(); ++i) {
    const std::string at = path + ".trees.interactions." + std::to_string(i);
    NamedOnce inputs(all, columns.more, "estimator's inputs");
    for (size_t c = 0; c < trees.interactions[i].size(); ++c) {
      PT_TRY(inputs.Take(trees.interactions[i][c], at + "." + std::to_string(c)));
    }
  }
  return Status::OK();
}

class TreeEstimatorKind : public EstimatorKindOf<TreeEstimatorOptions> {
 public:
  AnyOptions ForAllRows(const AnyOptions& own, int64_t best_round) const override {
    TreeEstimatorOptions options = Typed(own);
    if (!FitsDecision(CommonOf(options))) options.train.validation.HoldOutNothing();
    options.train.early_stopping.patience = 0;
    if (best_round > 0) options.trees.rounds = best_round;
    return options;
  }
  Json DescribeTraining(const AnyOptions& own) const override {
    const TreeEstimatorOptions options = Typed(own);
    return {{"workers", options.gang.workers.max},
            {"shards", ShardsOf(options)},
            {"rounds", options.trees.rounds},
            {"leaves", options.trees.leaves}};
  }

  Status CheckColumns(const AnyOptions& own, const NetColumns& columns, const std::string& path,
                      const Catalogue&) const override {
    const TreeOptions trees = Typed(own).trees;
    PT_TRY(CheckMonotone(trees, columns, path));
    return CheckInteractions(trees, columns, path);
  }
  Status FindFiles(const FilesFrom& from, const std::string& path, AnyOptions& own) const override {
    TreeEstimatorOptions options = Typed(own);
    PT_TRY(FindStartForest(from, path, options.train.from));
    own = std::move(options);
    return Status::OK();
  }
  Status KeepFiles(const std::filesystem::path& run, AnyOptions& own) const override {
    TreeEstimatorOptions options = Typed(own);
    PT_TRY(KeepStartForest(run, options.train.from));
    own = std::move(options);
    return Status::OK();
  }

  Result<std::optional<StagesBefore>> KeptStages(const AnyOptions& own) const override {
    return StagesOfStart(Typed(own).train.from);
  }

  std::string task() const override { return kForestTask; }
  // An extension, which may provide a metric, links LibTorch.
  bool NeedsLibTorch(const Chain& chain, bool) const override {
    return !chain.ExtensionFiles().empty();
  }
  bool elastic() const override { return true; }
  void Configure(const AnyOptions& own, TrainConfig& config) const override {
    const TreeEstimatorOptions options = Typed(own);
    config.train.shards = ShardsOf(options);
    config.own = FieldsToJson(TreeConfig{options.trees, options.train});
  }
  std::string Continues(const AnyOptions& own) const override { return Typed(own).train.continues; }
  void ContinueAfter(int64_t made, TrainConfig& config) const override {
    Json& rounds = config.own["trees"]["rounds"];
    rounds = rounds.get<int64_t>() + made;
  }

  Choice Predicts(const AnyOptions&) const override { return {kForest}; }
  ExplainsFrom ExplainedFrom(const AnyOptions&) const override { return ExplainsFrom::kItself; }
  Result<std::shared_ptr<const RowPredictor>> Open(
      const NetConfig& config, const std::filesystem::path& weights) const override {
    return OpenRowForest(config, weights);
  }

 protected:
  Result<TreeEstimatorOptions> CompleteOwn(TreeEstimatorOptions options, const std::string& path,
                                           const Catalogue& catalogue) const override {
    const std::string at = path.empty() ? "" : path + ".";
    PT_TRY(CompleteNamed(catalogue.losses, "loss", at + "loss", options.loss));
    PT_TRY(CheckLoss(options.loss, at));
    PT_TRY(CheckOfTrees(options, at));
    EstimatorOptions common = CommonOf(options);
    PT_TRY(CompleteLearning(common, path, catalogue));
    TakeCommon(common, options);
    // Checks ranges when all options have their values.
    PT_TRY(CheckFields(options, path));
    PT_TRY(CheckBest(common, at));
    PT_TRY(CheckInputs(common, at));
    return options;
  }
};

}  // namespace

StageRow TreeEstimatorRow() {
  return MakeEstimatorRow<TreeEstimatorKind, TreeEstimatorOptions>(
      kTreeEstimator, "grows boosted trees with a gang of workers; adds their predictions");
}

}  // namespace protium
