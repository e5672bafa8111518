// SPDX-License-Identifier: Apache-2.0
// The training of a run that continues a kept one (model/kept_training.h), and what it says of it.
#pragma once

#include <optional>

#include "frame/session_state.h"
#include "model/kept_training.h"
#include "model/model_state.h"
#include "pipeline/train_rows.h"

namespace protium {

// Takes what train.continues names into the run, and says so; none if the run continues nothing.
// Fails as ContinueTraining() does.
Result<std::optional<ContinuedTraining>> TakeContinued(SessionState& session, const Chain& chain);

// Train() (model/train.h) for as many epochs or rounds more, after which the run's training is
// kept. Whether it could be kept is a note or a warning: the run has its model in any case.
Result<TrainResult> TrainOn(SessionState& session, const Chain& chain, const TrainRows& rows,
                            TrainConfig config, ContinuedTraining& continued);

}  // namespace protium
