// SPDX-License-Identifier: Apache-2.0
// Builds a Chain (chain.h) one stage at a time: completes its options, resolves its inputs, checks
// types, finds its level and adds its outputs to the columns. placer.cc does this for stages,
// place_estimator.cc for the estimator. Used once, then dropped.
#pragma once

#include <arrow/type_fwd.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/chain.h"

namespace protium {

// What is known about the table: its columns with types, only their names, or nothing. With
// nothing, every name that no stage makes is assumed to be one of its columns.
enum class KnownOfTable { kTypes, kNames, kNothing };

class Placer {
 public:
  Placer(std::vector<StageColumn> table, Catalogue catalogue, Analyze analyze,
         KnownOfTable known = KnownOfTable::kTypes);
  // Records the ids of all stages, for messages about inputs that a later stage makes.
  void Announce(const std::vector<StageOptions>& stages);
  // Places the next stage of the list. `made` is the stage object from an earlier placing, which
  // retains what it learned; null: makes a new one.
  Status Place(StageOptions stage, std::unique_ptr<Stage> made = nullptr);
  // Whether the names of the columns are unknown from here on: without types the last stage could
  // not say what it makes.
  bool ends() const { return ends_; }
  // Returns the chain of all placed stages. The placer is empty afterwards.
  Chain Take();

 private:
  // What reads a column of the table, in increasing order: nothing, only training (label, weight,
  // group, baseline, validation.by), stages that look for its earlier values, which a table to
  // score may lack, or scoring as well.
  enum class Use { kNone, kTraining, kHistory, kAlways };

  Status PlaceOne(const StageRow& row, StageOptions& options, std::unique_ptr<Stage> made);
  // Checks the types of a stage's inputs and sets its level.
  Status CheckInputs(PlacedStage& placed);
  // Refuses inputs of a stage of history that are not the table's own, or that order its rows, and
  // another order than that of earlier stages.
  Status CheckHistory(const PlacedStage& placed) const;
  // Passes the inputs to the stage; all of them must be known.
  Status ShowInputs(PlacedStage& placed) const;
  // Checks a column of Stage::learns_from(): it is numeric, in the table, and no input is made from
  // it.
  Status CheckLearnsFrom(const PlacedStage& placed, const std::string& column);
  // Defaults: the kind as id, with _2, _3, ... if taken; <input>__<id> as outputs.
  Status NameId(const std::string& kind, std::string& id);
  Status NameOutputs(const Columns& inputs, const std::string& id, Columns& outputs);

  Status PlaceEstimator(const StageRow& row, StageOptions& stage);
  // Places a stage that options of the estimator stand for, before it.
  Status PlaceMade(const std::string& kind, Json options);
  // Replaces a named baseline by the column of a stage that it places.
  Status PlaceBaseline(EstimatorOptions& options);
  // Places what the scales of "mase@k" are learned from.
  Status PlaceScales(PlacedEstimator& placed);
  // A stage that says how rows form series; null: none does.
  const HistoryStage* AnyHistory() const;
  // How many rows before each row the latest value of the label is that a stage reads; 1 if none
  // reads it, and 0 if only windows of time do.
  int64_t NearestOf(const std::string& label) const;
  // Label, weight, group, baseline and validation.by: the columns that only training reads.
  Status PlaceLabels(PlacedEstimator& placed);
  Status PlaceValidation(const ValidationOptions& validation);
  // A column that says alone which rows are held out, of a type that `fits`.
  Status PlaceHoldingOut(const std::string& column, const std::string& option,
                         Status (*fits)(const arrow::DataType& type));
  // Refuses a column that a stage makes.
  Status CheckOfTable(size_t at, const std::string& key) const;
  Status CheckNumbers(const PlacedEstimator& placed);
  // Checks that categorical inputs are indices 0, 1, 2, ... made by a stage: an embedding is a
  // table.
  Status CheckIndices(PlacedEstimator& placed, const AnyOptions& own);
  // Finds the length of each list column, from its type or from the options.
  Status PlaceLists(PlacedEstimator& placed);
  // Refuses columns that the kind cannot read, and missing ones.
  Status CheckColumns(const PlacedEstimator& placed, const AnyOptions& own) const;
  // Refuses a label that is also an input, directly or through stages: a net that sees the label
  // learns nothing else.
  Status CheckLabel(const PlacedEstimator& placed) const;
  Status CheckLabel(const PlacedEstimator& placed, const std::string& label) const;
  // The known inputs of an open stage and of the open stages that it awaits, directly or
  // indirectly.
  Columns ListInputs(size_t maker) const;

  // Returns the columns that `inputs` stand for, in order; none may occur twice. Adds open stages
  // among them to `awaits`.
  Result<Columns> Resolve(const Inputs& inputs, const std::string& key,
                          std::vector<size_t>& awaits);
  Result<size_t> FindStage(const std::string& id, const std::string& key);
  // Returns the position of a column in chain_.columns and records its use. `key` is for the fault.
  Result<size_t> Find(const std::string& column, const std::string& key, Use use = Use::kAlways);
  Status NoColumn(const std::string& column, const std::string& key) const;
  std::string WhyUnknown(const std::string& column) const;
  Status CheckType(size_t at, const std::string& key, const Status& fits);
  int32_t FindLevel(size_t at) const;
  Status AddOutput(StageColumn column, const std::string& key);

  Chain chain_;
  Analyze analyze_;
  KnownOfTable known_;
  bool ends_ = false;
  std::vector<std::string> announced_;  // The ids given to stages, by position; "" for none.
  size_t table_columns_ = 0;            // They are the first of chain_.columns.
  std::map<size_t, Use> used_;          // By position in chain_.columns.
  std::map<std::string, size_t> ids_;   // The position of each stage.
  std::string path_;                    // Of the stage being placed: "pipeline.2".
  std::string id_;                      // Of the stage being placed.
  Use reads_ = Use::kAlways;            // How the stage being placed uses its inputs.
};

}  // namespace protium
