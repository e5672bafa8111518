// SPDX-License-Identifier: Apache-2.0
// What the stages of a pipeline learned, apart from the estimator's weights.
#pragma once

#include <string>

#include "frame/session_state.h"
#include "learn/objective.h"
#include "learn/pipeline/chain.h"

namespace protium {

// Runs one pass per level over `rows`, the training rows with the columns chain.sources, and leaves
// every stage of `chain` learned.
Result<Learned> FitStages(SessionState& session, const Plan& rows, Chain& chain);

// {"stages": [{"id", "kind", "learned"}], "objective": {...}, "baseline": {...}}
Json LearnedToJson(const Chain& chain, const Learned& learned);
Result<Learned> LearnedFromJson(const Json& json, Chain& chain);

}  // namespace protium
