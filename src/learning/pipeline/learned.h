// SPDX-License-Identifier: Apache-2.0
// Fits stages, and writes what they learned as JSON: stages.json of runs and models. The
// estimator's weights are elsewhere (train.h).
#pragma once

#include <optional>

#include "frame/session_state.h"
#include "pipeline/chain.h"
#include "pipeline/objective.h"
#include "pipeline/stages_before.h"

namespace protium {

// Fits every stage of `chain` over `rows`, the training rows with the columns chain.sources, in at
// most one pass per level. Returns what the estimator learned about its label; empty without an
// estimator. `count` is the number of rows: if there are many, the columns are profiled only on
// request (SessionOptions::profile). With `before`, only the label is learned: all stages keep what
// they learned for that model. Fails with Exit::kInput if its stages are others.
Result<Learned> FitStages(SessionState& session, const Plan& rows, int64_t count, Chain& chain,
                          const std::optional<StagesBefore>& before = {});

// FitStages() with nothing but what earlier runs have kept. Adds what each pass would take to
// `kept` (KeptWork::Describe()); none after the first pass whose states are not there.
Result<std::optional<Learned>> LearnFromKept(SessionState& session, const Plan& rows, int64_t count,
                                             Chain& chain, Json& kept);

// {"stages": [{"id", "kind", "learned"}], "objective": {...}, "baseline": {...}}. Reading it back
// restores every stage of `chain` to its state after fitting, and fails with Exit::kInput for JSON
// that does not match the chain.
Json LearnedToJson(const Chain& chain, const Learned& learned);
Result<Learned> LearnedFromJson(const Json& json, Chain& chain, const Analyze& analyze);

// Returns a function that asks the session's engine; valid as long as the session.
Analyze AnalyzeWith(SessionState& session);

}  // namespace protium
