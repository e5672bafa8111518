// SPDX-License-Identifier: Apache-2.0
// A kind of estimator: what can stand at the end of a pipeline, learn a label and predict it.
// Labels (objective.h), validation, metrics, calibration, baselines, folds, search, the model
// folder, predictions and SQL's score ask this and know no kind.
//
// To add one: a file with its options, its class and its row (model/torch_estimator.cc), that row's
// line in catalogue.cc, and the task that trains it.
#pragma once

#include <arrow/type_fwd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "catalogue/catalogue.h"
#include "pipeline/estimator_options.h"
#include "protium/stage_options.h"

namespace protium {

struct Chain;
struct NetConfig;
struct TrainConfig;

// What a model says of rows. Immutable: any thread.
class RowPredictor {
 public:
  virtual ~RowPredictor() = default;
  // Objective::outputs() numbers for each row of `rows`, which has the columns that NetConfig
  // names. NULL and NaN in them, and categories that it does not know, are faults.
  virtual Result<std::vector<float>> Outputs(const arrow::RecordBatch& rows) const = 0;
};

// Where files that options name are looked for.
struct FilesFrom {
  std::filesystem::path base;  // Where relative paths begin.
  std::filesystem::path run;   // The run folder; empty: there is none.
  bool resumed = false;        // What the run folder has kept comes first.
};

// Immutable, and passed along in the row of its stage (StageRow::estimator). `own` are options of
// the kind's own type, or JSON for them. Faults in them are of Exit::kUsage, with a `where` below
// `path`.
class EstimatorKind {
 public:
  virtual ~EstimatorKind() = default;

  // Leaves `own` typed; gives what all kinds have.
  virtual Result<EstimatorOptions> Read(AnyOptions& own, const std::string& path) const = 0;
  // Lays `common` over `own`, fills in every default, those that depend on each other included, and
  // refuses what can be refused without a table. Leaves `own` typed, and both alike.
  virtual Status Complete(EstimatorOptions& common, AnyOptions& own, const std::string& path,
                          const Catalogue& catalogue) const = 0;
  // The options that fit all rows: none is held out but for a calibration or a threshold that is
  // fitted to it, and where validation rows have chosen an epoch (0: they have not), training ends
  // with as many.
  virtual AnyOptions ForAllRows(const AnyOptions& own, int64_t best_epoch) const = 0;
  // For plans and the event that opens a run; the keys are Preview::training's.
  virtual Json DescribeTraining(const AnyOptions& own) const = 0;

  // Refuses columns that it cannot learn from.
  virtual Status CheckColumns(const AnyOptions& own, const NetColumns& columns,
                              const std::string& path, const Catalogue& catalogue) const {
    return Status::OK();
  }
  // Finds the files that options name, and puts what decides them into the options; Exit::kInput
  // where there are none. Then copies them into the run folder, and points the options there.
  virtual Status FindFiles(const FilesFrom& from, const std::string& path, AnyOptions& own) const {
    return Status::OK();
  }
  virtual Status KeepFiles(const std::filesystem::path& run, AnyOptions& own) const {
    return Status::OK();
  }

  // The task that trains it, and whether that needs LibTorch, in training as in scoring.
  virtual std::string task() const = 0;
  virtual bool NeedsLibTorch(const Chain& chain, bool gpus) const { return false; }
  // Whether its ranks may come and go while they train: a gang of a range of workers.
  virtual bool elastic() const { return false; }
  // Whether its task packs rows as nets do (rows/packer.h), and so scales numbers itself
  // (ScaledNumber); else stages make them all.
  virtual bool packs_rows() const { return false; }
  // Adds to the task's config what is the kind's own.
  virtual void Configure(const AnyOptions& own, TrainConfig& config) const = 0;

  // What computes predictions: a name and options, kept in the model as "net" of net.json.
  virtual Choice Predicts(const AnyOptions& own) const = 0;
  // The same on its way out of a model folder, and into one: `files` takes further files by name.
  virtual Result<Choice> FromFolder(const std::filesystem::path& folder, Choice predicts,
                                    const Catalogue& catalogue) const {
    return predicts;
  }
  virtual Choice IntoFolder(Choice predicts,
                            std::map<std::string, std::filesystem::path>& files) const {
    return predicts;
  }
  // Options that name such files, with what IntoFolder() gave.
  virtual AnyOptions WithPredicts(const AnyOptions& own, const Choice& predicts) const {
    return own;
  }
  // Predictions in the calling process, with the safetensors file that training has left. A fault
  // of Exit::kUsage, by name, for what only workers compute.
  virtual Result<std::shared_ptr<const RowPredictor>> Open(
      const NetConfig& config, const std::filesystem::path& weights) const = 0;
};

// The half of a kind that follows from the type of its options.
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
  // Unless a kind has more to say, that of what all have.
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

// An estimator of a list of stages.
struct FoundEstimator {
  size_t at = 0;
  std::shared_ptr<const EstimatorKind> kind;
  EstimatorOptions options;
  AnyOptions own;  // Typed.
};

// The first estimator, read and not completed; none in a list without any. Faults are those of
// EstimatorKind::Read().
Result<std::optional<FoundEstimator>> FindEstimator(const std::vector<StageOptions>& stages,
                                                    const Catalogue& catalogue);
// The same, with the rows that a program or an extension adds.
Result<std::optional<FoundEstimator>> FindEstimator(const std::vector<StageOptions>& stages,
                                                    const std::shared_ptr<const Catalogue>& own);

// Whether stages of this kind are estimators; `stage` is one in a job file, of whatever type.
bool IsEstimator(const Catalogue& catalogue, const std::string& kind);
bool IsEstimator(const Catalogue& catalogue, const Json& stage);

}  // namespace protium
