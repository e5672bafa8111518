// SPDX-License-Identifier: Apache-2.0
// A kind of estimator: the last stage of a pipeline, which learns a label and predicts it. Labels
// (objective.h), validation, metrics, calibration, baselines, folds, search, the model folder,
// predictions and SQL's score use this interface and know no kind.
//
// To add one: a file with its options, its class and its row (model/torch_estimator.cc), that row's
// line in catalogue.cc, and the task that trains it.
#pragma once

#include <arrow/type_fwd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "catalogue/catalogue.h"
#include "pipeline/estimator_options.h"
#include "protium/stage_options.h"

namespace protium {

struct Chain;
struct NetConfig;
struct StagesBefore;
struct TrainConfig;
class PackedRows;

// What the features of rows add to one output each, compared with the mean of that output.
struct RowExplanations {
  std::vector<double> mean;        // By output.
  std::vector<double> by_feature;  // [rows, features]: numbers, categories, lists of NetConfig.
};

// What explanations depend on besides the rows.
struct ExplainBy {
  Columns sources;      // ExplainConfig::sources: features of one name are explained together.
  int32_t samples = 1;  // PipelineModel::Explaining().
  const PackedRows* background = nullptr;  // Without labels and weights, for a kind that needs it.
};

// How a kind explains its predictions: not at all, from what it learned, or by comparing rows with
// background rows of its training.
enum class ExplainsFrom { kNothing, kItself, kBackground };

// A model's predictions for rows. Immutable: any thread.
class RowPredictor {
 public:
  virtual ~RowPredictor() = default;
  // Returns Objective::outputs() numbers for each row of `rows`, which has the columns that
  // NetConfig names. Fails for NULL, NaN and unknown categories.
  virtual Result<std::vector<float>> Outputs(const arrow::RecordBatch& rows) const = 0;
  // Explains the output outputs[i] of row i; its features and its mean add up to it, up to rounding
  // as float32. Fails with Exit::kUsage if EstimatorKind::ExplainedFrom() is kNothing.
  virtual Result<RowExplanations> Explain(const arrow::RecordBatch& rows,
                                          std::span<const int32_t> outputs,
                                          const ExplainBy& by) const;
};

// Where to find files that options name.
struct FilesFrom {
  std::filesystem::path base;   // Where relative paths start.
  std::filesystem::path run;    // The run folder; empty: there is none.
  bool resumed = false;         // Copies in the run folder come first.
  std::filesystem::path store;  // Of kept trainings; empty: there is none.
};

// Immutable; passed along in the row of its stage (StageRow::estimator). `own` holds options of the
// kind's own type, or JSON for them. Faults in them are of Exit::kUsage, with a `where` below
// `path`.
class EstimatorKind {
 public:
  virtual ~EstimatorKind() = default;

  // Makes `own` typed; returns the options that all kinds share.
  virtual Result<EstimatorOptions> Read(AnyOptions& own, const std::string& path) const = 0;
  // Overwrites `own` with `common`, fills in every default, including those that depend on each
  // other, and refuses what can be refused without a table. Makes `own` typed, and both agree.
  virtual Status Complete(EstimatorOptions& common, AnyOptions& own, const std::string& path,
                          const Catalogue& catalogue) const = 0;
  // The options for a fit on all rows: rows are held out only if a calibration or a threshold is
  // fitted to them. If validation rows chose an epoch (`best_epoch`; 0: they did not), training
  // ends after that many.
  virtual AnyOptions ForAllRows(const AnyOptions& own, int64_t best_epoch) const = 0;
  // For plans and the event "pipeline" that opens a run; the keys are those of Preview::training.
  virtual Json DescribeTraining(const AnyOptions& own) const = 0;

  // Refuses columns that the kind cannot learn from.
  virtual Status CheckColumns(const AnyOptions& own, const NetColumns& columns,
                              const std::string& path, const Catalogue& catalogue) const {
    return Status::OK();
  }
  // Refuses, for a reason of the kind, columns of ids (Stage::makes_ids()) among its inputs.
  virtual Status CheckIds(const AnyOptions& own, const std::string& path) const;
  // FindFiles() finds the files that options name and adds what identifies them to the options;
  // fails with Exit::kInput for a missing one. KeepFiles() copies them into the run folder and
  // points the options there.
  virtual Status FindFiles(const FilesFrom& from, const std::string& path, AnyOptions& own) const {
    return Status::OK();
  }
  virtual Status KeepFiles(const std::filesystem::path& run, AnyOptions& own) const {
    return Status::OK();
  }

  // The stages of the model that training goes on from, after KeepFiles(), if what it learned is
  // exact about their outputs; none: stages learn.
  virtual Result<std::optional<StagesBefore>> KeptStages(const AnyOptions& own) const;

  // The task that trains it, and whether training and scoring need LibTorch.
  virtual std::string task() const = 0;
  virtual bool NeedsLibTorch(const Chain& chain, bool gpus) const { return false; }
  // Whether ranks may join and leave during training: a gang with a range of workers.
  virtual bool elastic() const { return false; }
  // Whether its task packs rows as nets do (rows/packer.h) and so scales numbers itself
  // (ScaledNumber); otherwise stages make all of them.
  virtual bool packs_rows() const { return false; }
  // Adds the kind's own part to the task's config.
  virtual void Configure(const AnyOptions& own, TrainConfig& config) const = 0;

  // The name of the kept training that this one continues (model/kept_training.h); empty: none.
  virtual std::string Continues(const AnyOptions& own) const { return {}; }
  // Makes a configured training longer by the `made` epochs or rounds that it continues after.
  virtual void ContinueAfter(int64_t made, TrainConfig& config) const {}

  // What computes predictions: a name and options, stored in the model as "net" of net.json.
  virtual Choice Predicts(const AnyOptions& own) const = 0;
  // Convert the same when a model folder is read or written: `files` receives further files by
  // name.
  virtual Result<Choice> FromFolder(const std::filesystem::path& folder, Choice predicts,
                                    const Catalogue& catalogue) const {
    return predicts;
  }
  virtual Choice IntoFolder(Choice predicts,
                            std::map<std::string, std::filesystem::path>& files) const {
    return predicts;
  }
  // Returns options that name such files, with what IntoFolder() returned.
  virtual AnyOptions WithPredicts(const AnyOptions& own, const Choice& predicts) const {
    return own;
  }
  // How what Open() returns explains predictions.
  virtual ExplainsFrom ExplainedFrom(const AnyOptions& own) const { return ExplainsFrom::kNothing; }
  // Opens the kind for predictions in the calling process, with the safetensors file that training
  // wrote. Fails with Exit::kUsage, by name, for what only workers compute.
  virtual Result<std::shared_ptr<const RowPredictor>> Open(
      const NetConfig& config, const std::filesystem::path& weights) const = 0;
};

// The part of a kind that follows from the type of its options.
template <class Options>
class EstimatorKindOf : public EstimatorKind {
 public:
  Result<EstimatorOptions> Read(AnyOptions& own, const std::string& path) const override {
    PT_LET(const Options options, own.Read<Options>(path));
    own = options;
    return CommonOf(options);
  }
  Status Complete(EstimatorOptions& common, AnyOptions& own, const std::string& path,
                  const Catalogue& catalogue) const override {
    PT_LET(Options options, own.Read<Options>(path));
    TakeCommon(common, options);
    PT_LET(options, CompleteOwn(std::move(options), path, catalogue));
    common = CommonOf(options);
    own = std::move(options);
    return Status::OK();
  }

 protected:
  // Complete() for typed options, including those that all kinds share.
  virtual Result<Options> CompleteOwn(Options options, const std::string& path,
                                      const Catalogue& catalogue) const = 0;
  // For options that have been completed.
  static Options Typed(const AnyOptions& own) { return *own.Read<Options>(""); }
};

// The row of a kind whose options are an aggregate with Fields().
template <class Kind, class Options>
StageRow MakeEstimatorRow(std::string name, std::string help) {
  return {MakeRow<Options>(std::move(name), std::move(help)), nullptr, std::make_shared<Kind>()};
}

// An estimator found in a list of stages.
struct FoundEstimator {
  size_t at = 0;
  std::shared_ptr<const EstimatorKind> kind;
  EstimatorOptions options;
  AnyOptions own;  // Typed.
};

// Returns the first estimator, read but not completed; none if the list has none. Fails as
// EstimatorKind::Read() does.
Result<std::optional<FoundEstimator>> FindEstimator(const std::vector<StageOptions>& stages,
                                                    const Catalogue& catalogue);
// The same, also among the rows that a program or an extension adds.
Result<std::optional<FoundEstimator>> FindEstimator(const std::vector<StageOptions>& stages,
                                                    const std::shared_ptr<const Catalogue>& own);

// Whether stages of this kind are estimators; `stage` is a stage of a job file, of any JSON type.
bool IsEstimator(const Catalogue& catalogue, const std::string& kind);
bool IsEstimator(const Catalogue& catalogue, const Json& stage);

}  // namespace protium
