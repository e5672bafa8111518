// SPDX-License-Identifier: Apache-2.0
// --horizon and --forward of `protium predict`: rows that are further ahead than a model of series
// looks back.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>

#include "protium/frame.h"
#include "protium/scorer.h"
#include "terminal/arguments.h"

namespace protium {

struct Forward {
  std::optional<Horizon> horizon;  // Rows to make; unset: given ones are predicted.
};

std::vector<Flag> ForwardFlags();

// Reads these flags; nothing if neither is given. Refuses (Exit::kUsage) a horizon that is none,
// and flags that do not go together.
Result<std::optional<Forward>> ReadForwardFlags(const Arguments& arguments);

// Predicts `rows` in this process (Scorer::RollForward()) or, with a horizon, those that follow
// them or, without any, those that the model keeps. Returns the predicted rows with their
// predictions, from a file in the folder `scratch`. They are held in memory.
Result<DataFrame> ScoredForward(Session& session, const PipelineModel& model,
                                const std::optional<DataFrame>& rows, const Forward& forward,
                                const std::filesystem::path& scratch, const std::stop_token& stop);

// Warns if rows seem to be missing between those that the model keeps and those to predict.
Status WarnOfGap(Session& session, const PipelineModel& model, const DataFrame& rows);

}  // namespace protium
