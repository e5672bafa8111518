// SPDX-License-Identifier: Apache-2.0
// The gang that trains the estimator's net, as the driver sees it.
#pragma once

#include "frame/session_state.h"
#include "model/model_state.h"
#include "pipeline/train_rows.h"

namespace protium {

// Trains the net: runs the task "train" as a gang over rows.all with the stages applied, and
// returns what its rank 0 emitted. All stages must have learned. Blocks until the gang has ended,
// restarts included; records the seconds in the run; failures name the table's columns.
Result<TrainResult> Train(SessionState& session, const Chain& chain, const TrainRows& rows,
                          const TrainConfig& config);

}  // namespace protium
