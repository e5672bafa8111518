// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frame/session_state.h"
#include "learn/model/model_state.h"
#include "learn/pipeline/train_rows.h"

namespace protium {

// Runs the task "train" by a gang over `rows` with the stages applied, all of which have learned,
// and gives what its rank 0 emitted.
Result<TrainResult> Train(SessionState& session, const Chain& chain, const TrainRows& rows,
                          const TrainConfig& config);

}  // namespace protium
