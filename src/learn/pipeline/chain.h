// SPDX-License-Identifier: Apache-2.0
// A list of stages put to a table: every input resolved to a column, every output named, stages
// ordered into levels. Stages of one level share one pass over the rows. Where a stage finds out by
// learning which columns it makes, those that read all of them wait, and are placed again then.
#pragma once

#include <arrow/type_fwd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "learn/catalogue.h"
#include "learn/stages/stage_options.h"
#include "learn/torch_task.h"

namespace protium {

struct PlacedStage {
  std::unique_ptr<Stage> stage;
  int32_t level = 1;  // One above the highest stage it reads from.
  std::string path;   // "pipeline.2", for faults.
  // Stages among its inputs whose columns are not known yet. Such a stage has the other inputs
  // only, and no outputs.
  std::vector<size_t> awaits;

  // Whether its columns are not known yet.
  bool open() const;
};

struct PlacedEstimator {
  TorchEstimatorOptions options;  // Complete.
  Columns categorical;
  Columns numeric;
  std::vector<ListInput> lists;
  int32_t level = 1;  // Of what it learns itself: label scale and baseline.
  std::string path;
  std::vector<size_t> awaits;  // As of a stage.
};

struct Chain {
  Catalogue catalogue;
  std::vector<StageOptions> options;  // With ids and outputs named.
  std::vector<PlacedStage> stages;
  std::optional<PlacedEstimator> estimator;
  std::vector<StageColumn> columns;  // The table's, then all outputs that are known.
  Columns sources;       // Columns of the table that fitting reads, in the table's order.
  Columns needed;        // Of those, what applying and scoring read.
  NetLibrary extension;  // Once KeepExtension() has kept it.

  int32_t levels() const;
  const StageColumn* Find(const std::string& column) const;
  // The library that brings the estimator's net; empty where none does.
  std::filesystem::path ExtensionFile() const;
};

// Fails for unknown columns and stages (with the nearest), wrong types, ids and outputs given
// twice, two estimators, an estimator that is not last. `where` is "pipeline.2.inputs.0".
Result<Chain> PlaceStages(const std::vector<StageOptions>& stages, const arrow::Schema& table,
                          Catalogue catalogue = BuiltInCatalogue());

// Places again whatever waited for the columns of stages that have learned now; these and others
// that have learned stay as they are. Faults are of the data: kInput.
Status PlaceAgain(Chain& chain);

// The column of the table that `column` is made from; itself, where no stage made it.
std::string SourceOf(const Chain& chain, const std::string& column);

// A fault in terms of the table's columns instead of those that stages made.
Status WithSourceNames(const Chain& chain, const Status& status);

// Keeps the library that brings the estimator's net, if one does, in `folder`.
Status KeepExtension(const std::filesystem::path& folder, Chain& chain);

// Adds to `rows`, whose columns are `columns`, the outputs of the stages that `wanted` rest on,
// which must have learned; `columns` gets their names.
Plan ApplyStages(const Chain& chain, Plan rows, Columns& columns, Columns wanted);

}  // namespace protium
