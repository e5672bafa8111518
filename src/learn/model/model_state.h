// SPDX-License-Identifier: Apache-2.0
// What a PipelineModel is made of.
#pragma once

#include <optional>
#include <string>

#include "learn/pipeline/chain.h"
#include "learn/pipeline/learned.h"
#include "protium/pipeline.h"

namespace protium {

struct ModelState {
  Session* session = nullptr;
  std::shared_ptr<const Chain> chain;  // All stages have learned.
  Learned learned;
  SchemaPtr input;                // The columns of the training table that fitting read.
  NetConfig net;                  // Empty without an estimator.
  TrainResult trained;            // Likewise.
  Json metrics = Json::object();  // What the run measured, when the model was saved.
  Json etl;                       // Null: not known.
  bool measured = true;           // Whether its predictions can be compared with labels.
};

// A copy of `model` that carries how its input table is made ("etl.json"), for whoever loads it.
PipelineModel WithEtl(const PipelineModel& model, Json etl);

// The list of stages with every option.
Json PipelineToJson(const ModelState& state);

// The net that `chain` asks for, once its stages have learned.
NetConfig NetOf(const Chain& chain, const Learned& learned);

}  // namespace protium
