// SPDX-License-Identifier: Apache-2.0
// Puts stages, one after the other, to the columns of a table. How inputs are found and outputs
// added stands in placer.cc, what an estimator asks for in place_estimator.cc.
#pragma once

#include <arrow/type_fwd.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "learn/pipeline/chain.h"

namespace protium {

class Placer {
 public:
  Placer(std::vector<StageColumn> table, Catalogue catalogue);
  // With `made`, a stage as an earlier placing left it, or null.
  Status Place(StageOptions stage, std::unique_ptr<Stage> made = nullptr);
  // What has been placed.
  Chain Take();

 private:
  enum class Use { kNone, kTraining, kAlways };

  Status PlaceOne(const StageRow& row, StageOptions& options, std::unique_ptr<Stage> made);
  // Finds the level as well.
  Status CheckInputs(PlacedStage& placed);
  Status NameId(const std::string& kind, std::string& id);
  Status NameOutputs(const Columns& inputs, const std::string& id, Columns& outputs);

  Status PlaceEstimator(StageOptions& stage);
  // The columns that training alone reads.
  Status PlaceLabels(PlacedEstimator& placed);
  Status CheckNumbers(const PlacedEstimator& placed);
  // Embeddings are for whole numbers that count up from 0.
  Status CheckIndices(const PlacedEstimator& placed);
  // Lists come from the table; how long they are says their type, or whoever lists them.
  Status PlaceLists(PlacedEstimator& placed);
  // Whoever is shown the answer learns nothing else.
  Status CheckLabel(const PlacedEstimator& placed) const;
  Status CheckLabel(const PlacedEstimator& placed, const std::string& label) const;
  // The columns of the table that an open stage rests on.
  Columns SourcesOf(size_t maker) const;

  // All columns that `inputs` mean, in order; each may be there once. Stages whose columns are not
  // known yet go to `awaits`.
  Result<Columns> Resolve(const Inputs& inputs, const std::string& key,
                          std::vector<size_t>& awaits);
  Result<size_t> FindStage(const std::string& id, const std::string& key);
  // The index of a column, which counts as used.
  Result<size_t> Find(const std::string& column, const std::string& key, Use use = Use::kAlways);
  std::string WhyUnknown(const std::string& column) const;
  Status CheckType(size_t at, const std::string& key, const Status& fits);
  int32_t LevelOf(size_t at) const;
  Status AddOutput(const std::string& name, std::shared_ptr<arrow::DataType> type,
                   const std::string& key);

  Chain chain_;
  size_t table_columns_ = 0;
  std::map<size_t, Use> used_;
  std::map<std::string, size_t> ids_;  // To the stage's position.
  std::string path_;                   // Of the stage that is being placed,
  std::string id_;                     // and its id.
};

}  // namespace protium
