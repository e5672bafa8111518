// SPDX-License-Identifier: Apache-2.0
// What the stages of a pipeline learned, apart from the estimator's weights.
#pragma once

#include <optional>
#include <string>

#include "frame/session_state.h"
#include "learn/chain.h"
#include "learn/torch_task.h"

namespace protium {

// What the estimator learns before training.
struct Learned {
  LabelScale label_scale;
  std::optional<Baseline> baseline;
};

// Runs one pass per level over `rows`, the training rows with the columns chain.sources, and leaves
// every stage of `chain` learned.
Result<Learned> FitStages(SessionState& session, const Plan& rows, Chain& chain);

// {"stages": [{"id", "kind", "learned"}], "label_scale": {...}, "baseline": {...}}
Json LearnedToJson(const Chain& chain, const Learned& learned);
Result<Learned> LearnedFromJson(const Json& json, Chain& chain);

}  // namespace protium
