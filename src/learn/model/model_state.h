// SPDX-License-Identifier: Apache-2.0
// The inside of a PipelineModel, and what other rooms may ask of it.
#pragma once

#include <optional>
#include <string>

#include "learn/pipeline/chain.h"
#include "learn/pipeline/learned.h"
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
};

// A copy of `model` that also carries how its input table is made; Save() writes it as "etl.json",
// which `protium predict --data` runs.
PipelineModel WithEtl(const PipelineModel& model, Json etl);

// The list of stages with all their options, as in pipeline.json.
Json PipelineToJson(const ModelState& state);

// The config of the estimator's net. All stages must have learned: the cardinality of a categorical
// column is known only then.
NetConfig MakeNetConfig(const Chain& chain, const Learned& learned);

}  // namespace protium
