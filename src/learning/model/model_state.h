// SPDX-License-Identifier: Apache-2.0
// The inside of a PipelineModel, and what other rooms may ask of it.
#pragma once

#include <optional>
#include <string>

#include "pipeline/chain.h"
#include "pipeline/learned.h"
#include "protium/pipeline.h"

namespace protium {

// Immutable once it is in a PipelineModel.
struct ModelState {
  Session* session = nullptr;
  std::shared_ptr<const Chain> chain;  // All stages have learned.
  Learned learned;
  SchemaPtr input;                // The columns of the training table that fitting read.
  NetConfig net;                  // Empty without an estimator.
  TrainResult trained;            // Likewise.
  Json metrics = Json::object();  // Of a loaded model: what its run measured.
  Json etl;                       // How the input table is made; null: unknown.
  bool measured = true;           // Whether its predictions can be compared with labels.
  // Leased to each worker that scores, which are a gang then: in the run that trained it as many as
  // to those that trained; none for a loaded model, which may be used anywhere, unless asked for
  // (WithGpus()).
  int32_t gpus_per_worker = 0;
};

// A copy of `model` that also carries how its input table is made; Save() writes it as "etl.json",
// which `protium predict --data` runs.
PipelineModel WithEtl(const PipelineModel& model, Json etl);

// The inside of a model, which lives as long as a copy of it does.
const ModelState& StateOf(const PipelineModel& model);

// A copy of `model` whose workers score with so many leased devices each.
PipelineModel WithGpus(const PipelineModel& model, int32_t gpus_per_worker);

// The plan behind Transform() up to the net: the rows of `table`, whose columns are `schema`, cast
// to the types that the model learned from, with the columns that the net reads; without an
// estimator, with those of all stages. A table that the model cannot read is a fault of
// Exit::kInput. `schema` becomes that of the table after the casts; `scaled`, where it is given,
// the net's numbers that are left to packing, of which only what they are made from is there.
Result<Plan> AppliedPlan(const ModelState& state, const Plan& table, SchemaPtr& schema,
                         std::vector<ScaledNumber>* scaled, const Analyze& analyze);

// The columns that a prediction adds; without an estimator, those of all stages.
SchemaPtr AddedColumns(const ModelState& state);

// The columns of a table to predict for, of the types that the model learned from.
SchemaPtr NeededColumns(const ModelState& state);

// The list of stages with all their options, as in pipeline.json.
Json PipelineToJson(const ModelState& state);

// The config of the estimator's net. All stages must have learned: the cardinality of a categorical
// column is known only then.
NetConfig MakeNetConfig(const Chain& chain, const Learned& learned);

}  // namespace protium
