// SPDX-License-Identifier: Apache-2.0
// A pipeline placed on a table: every input resolved to a column, every output named, types
// checked, and stages ordered into levels.
//
// 1. A stage's level is one above the highest of the stages it reads from; the table is level 0.
//    Stages of one level learn in one pass over the rows.
// 2. A stage such as one_hot_encoder knows its output columns only after it has learned; until then
//    it is open. A stage that reads all outputs of an open stage awaits it: it is placed without
//    those inputs and without outputs, is itself open, and is placed again by PlaceAgain().
// 3. Columns are never overwritten: names are unique ignoring case, since engines ignore it.
#pragma once

#include <arrow/type_fwd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "pipeline/estimator_kind.h"
#include "pipeline/season_scales.h"
#include "pipeline/torch_task.h"
#include "protium/stage_options.h"
#include "stages/stage.h"

namespace protium {

struct PlacedStage {
  std::unique_ptr<Stage> stage;
  int32_t level = 1;  // One above the highest stage it reads from.
  std::string path;   // "pipeline.2", for faults.
  // Positions of the open stages among its inputs. While there are any, the stage has only its
  // other inputs, and no outputs.
  std::vector<size_t> awaits;

  // Whether its output columns are still unknown.
  bool open() const;
};

// The estimator, with its inputs resolved to columns in the order in which the net reads them.
struct PlacedEstimator {
  std::shared_ptr<const EstimatorKind> kind;
  EstimatorOptions options;  // Complete. Options of this kind alone are only in Chain::options.
  LossRow loss;              // The row of options.loss, with the kind that KindOf() returns.
  Columns categorical;
  size_t ids = 0;  // So many of `categorical` are ids (Stage::makes_ids()).
  Columns numeric;
  std::vector<ListInput> lists;
  std::vector<SeasonErrors> errors;  // For each "mase@k" that is measured,
  std::vector<SeriesScales> scales;  // and, once it has learned, the scales for it.
  int32_t level = 1;  // The pass that learns the label's scale or classes, and the baseline.
  std::string path;
  std::vector<size_t> awaits;  // As in PlacedStage.
};

// The stages in the order of the list: position i means the same stage in `options`, `stages` and
// StageColumn::maker. The estimator is the last of `options` and is not in `stages`.
struct Chain {
  Catalogue catalogue;
  std::vector<StageOptions>
      options;  // Complete, with ids and output names; the estimator's are typed.
  std::vector<PlacedStage> stages;
  std::optional<PlacedEstimator> estimator;
  std::vector<StageColumn> columns;  // The table's, then all outputs known so far.
  Columns sources;  // The table's columns that fitting reads, in the table's order.
  Columns needed;   // Those of `sources` that scoring also reads: not label, weight or baseline.
  // Where relative paths in stages' options start (SessionOptions::base); empty: the working
  // directory. Set after placing.
  std::filesystem::path base;
  // The libraries of ExtensionFiles() for workers to open; empty until KeepExtensions() fills it.
  std::vector<NetLibrary> extensions;

  int32_t levels() const;  // The number of passes that fitting may take.
  // Returns null for an unknown column.
  const StageColumn* Find(const std::string& column) const;
  // The user's libraries that provide the estimator's net, loss and metrics, each listed once;
  // empty if all of them are built in.
  std::vector<std::filesystem::path> ExtensionFiles() const;
  // Whether LibTorch computes the estimator. `gpus`: it is computed on devices.
  bool NeedsLibTorch(bool gpus) const;
};

// Places `stages` on a table. Fails with Exit::kUsage, before anything runs, for unknown columns
// and stages (with the nearest name), wrong types, ids and outputs given twice, two estimators, an
// estimator that is not last, and a label among its own features. Faults have a `where` such as
// "pipeline.2.inputs.0". `analyze` asks the engine for types; without it, stages made of SQL are
// refused.
Result<Chain> PlaceStages(const std::vector<StageOptions>& stages, const arrow::Schema& table,
                          Catalogue catalogue = BuiltInCatalogue(), Analyze analyze = nullptr);

// Makes the same checks without types, when only the names of the table's columns are known, or not
// even those. Only for messages: columns that stages make have no types, and lists no length.
// Returns none if a stage cannot name its columns without types; later stages are then not checked.
Result<std::optional<Chain>> PlaceOnNames(const std::vector<StageOptions>& stages,
                                          const std::optional<Columns>& table,
                                          Catalogue catalogue = BuiltInCatalogue());

// Places again the stages that awaited columns which learning has now named. Stages that awaited
// nothing retain what they learned. Failures are Exit::kInput: they come from the data.
Status PlaceAgain(Chain& chain, Analyze analyze = nullptr);

// Returns the table column that `column` is ultimately made from, as a name to show to users: of
// several, the first in the order of inputs; `column` itself if no stage made it.
std::string FindSource(const Chain& chain, const std::string& column);

// Returns the table columns that `column` is made from, as a name to show to users: "temp",
// "origin, dest". Returns `column` itself for more than three, or if no stage made it.
std::string NameOfSources(const Chain& chain, const std::string& column);

// Whether `column` is the table column `source` or made from it by stages, through any of their
// inputs: an input must not be made from the label. Earlier values of it (stages/history_stage.h)
// are not.
bool IsMadeFrom(const Chain& chain, const std::string& column, const std::string& source);

// Returns the same failure with columns that stages made replaced by the table's columns, in all
// texts of the fault: a user has never seen "temp__fill__scale".
Status WithSourceNames(const Chain& chain, const Status& status);

// Returns the net's numbers that workers can compute while they pack rows: outputs of stages that
// only scale a column of a type that packing reads. `table`: the columns of the rows, whose types
// may differ from those in training. Stages must have learned.
std::vector<ScaledNumber> ScaledInPacking(const Chain& chain, const arrow::Schema& table);

// Which of its two forms of a stage to apply: Stage::ApplyToLearned() to rows that are learned from
// (training and validation rows, with the part columns of train_rows.h), Apply() to all others.
enum class RowUse { kLearning, kOther };

// Adds to `rows`, whose columns are `columns`, the outputs of only those stages that `wanted`
// depends on, directly or through other stages; these must have learned. Appends the new names to
// `columns`. Stages that workers apply (BatchStage) need `analyze`; the plan stores its failure.
// `rows` has the outputs of stages that read earlier rows already (pipeline/history.h).
Plan ApplyStages(const Chain& chain, Plan rows, Columns& columns, Columns wanted,
                 RowUse use = RowUse::kOther, const Analyze& analyze = nullptr);

}  // namespace protium
