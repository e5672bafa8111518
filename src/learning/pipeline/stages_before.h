// SPDX-License-Identifier: Apache-2.0
// What the stages of a model learned, for a pipeline whose estimator goes on from that model: a
// threshold of 3 or the category 7 mean something else after stages have learned again.
#pragma once

#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "pipeline/chain.h"
#include "pipeline/objective.h"

namespace protium {

// The files of a model folder (docs/model-folder.md).
struct StagesBefore {
  Json pipeline;  // pipeline.json.
  Json stages;    // stages.json.
  // Whether training cannot go on with other stages; else these learn anew.
  bool required = true;
};

// Returns what each of chain.stages learned, in their order. Fails with Exit::kInput, naming the
// first difference, unless the model's pipeline has the very same stages before its estimator.
Result<std::vector<Json>> LearnedBefore(const Chain& chain, const StagesBefore& before);

// Puts numbers of the label on the scale that the model's outputs have. Fails with Exit::kInput if
// the model predicts other classes than `objective`: its outputs would stand for others.
Status KeepObjective(const Chain& chain, const StagesBefore& before, Objective& objective);

}  // namespace protium
