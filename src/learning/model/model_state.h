// SPDX-License-Identifier: Apache-2.0
// The internal state of a PipelineModel, and functions over it for other folders.
#pragma once

#include <optional>
#include <string>

#include "pipeline/chain.h"
#include "pipeline/learned.h"
#include "protium/pipeline.h"

namespace protium {

// Immutable as soon as it is in a PipelineModel.
struct ModelState {
  Session* session = nullptr;
  std::shared_ptr<const Chain> chain;  // All stages have learned.
  Learned learned;
  SchemaPtr input;                // The columns of the training table that fitting read.
  NetConfig net;                  // Empty without an estimator.
  TrainResult trained;            // Likewise.
  Json metrics = Json::object();  // Of a loaded model: what its run measured.
  bool loaded = false;            // From a folder; otherwise this process has fitted it.
  Json etl;                       // How the input table is made; null: unknown.
  bool measured = true;           // Whether its predictions can be compared with labels.
  // Devices leased to each worker that scores; the workers are then a gang. In the run that trained
  // the model, as many as the trainers had; 0 for a loaded model, which may be used anywhere,
  // unless requested (WithGpus()).
  int32_t gpus_per_worker = 0;
  Json profile;           // What it keeps of its training rows (ProfileToKeep()); null: nothing.
  std::string history;    // The file of the rows that it keeps (kept_history.h); empty: none.
  ExplainConfig explain;  // PipelineModel::Explaining(); not saved.
  bool int8 = false;      // WithInt8() (model/rounded.h); not saved.
};

// Returns a copy of `model` that also stores how its input table is made; Save() writes it as
// "etl.json", which `protium predict --data` runs.
PipelineModel WithEtl(const PipelineModel& model, Json etl);

// The internal state of a model; it lives as long as any copy of the model.
const ModelState& StateOf(const PipelineModel& model);

// Returns a copy of `model` whose workers score with this many leased devices each.
PipelineModel WithGpus(const PipelineModel& model, int32_t gpus_per_worker);

// Whether ONNX Runtime computes the net in workers, too (model/row_graph.h): that of a model that
// was loaded, where it is here and no devices are requested. The run that trained a net scores with
// what trained it.
bool ScoresAsGraph(const ModelState& state);

// Returns the plan of Transform() up to the net: the rows of `table`, whose columns are `schema`,
// cast to the types that the model learned from, plus the columns that the net reads, or without an
// estimator the columns of all stages. Fails with Exit::kInput for a table that the model cannot
// read. `schema` becomes the table's schema after the casts; `scaled`, if given, receives the net's
// numbers that are left to packing: the plan has only the columns that these are made from.
Result<Plan> AppliedPlan(const ModelState& state, const Plan& table, SchemaPtr& schema,
                         std::vector<ScaledNumber>* scaled, const Analyze& analyze);

// Its two halves for a model that reads earlier rows. First `table`, with the types that the model
// learned from, behind the rows `history`, with the columns of the stages that read both; `schema`
// as above.
Result<Plan> PlanBehindHistory(const ModelState& state, const Plan& table, SchemaPtr& schema,
                               const Plan& history);
// Then the other stages over the result, of which `schema` is the table's part. `scaled` as above.
Result<Plan> PlanAboveHistory(const ModelState& state, const Plan& rows,
                              const arrow::Schema& schema, std::vector<ScaledNumber>* scaled,
                              const Analyze& analyze);

// The columns that a prediction adds; without an estimator, those of all stages.
SchemaPtr AddedColumns(const ModelState& state);

// The same, and those that explain a prediction.
SchemaPtr ScoredColumns(const ModelState& state);

// The columns that a table to predict for must have, with the types that the model learned from.
SchemaPtr NeededColumns(const ModelState& state);

// The list of stages with all their options, as in pipeline.json.
Json PipelineToJson(const ModelState& state);

// Returns the config of the estimator's net. All stages must have learned: before that the
// cardinality of a categorical column is unknown.
NetConfig MakeNetConfig(const Chain& chain, const Learned& learned);

}  // namespace protium
