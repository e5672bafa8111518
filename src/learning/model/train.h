// SPDX-License-Identifier: Apache-2.0
// The driver's side of the gang that trains the estimator's net.
#pragma once

#include "frame/session_state.h"
#include "model/model_state.h"
#include "pipeline/train_rows.h"

namespace protium {

// What of the packed rows a training would take from the store (StoredRows::Describe()).
Json DescribeStoredRows(SessionState& session, const Chain& chain, const TrainRows& rows,
                        const TrainConfig& config);

// Trains the net: runs the task "train" as a gang over rows.all with the stages applied, and
// returns what rank 0 emitted. All stages must have learned. Blocks until the gang has ended,
// including restarts; records the seconds in the run; failures name the table's columns.
Result<TrainResult> Train(SessionState& session, const Chain& chain, const TrainRows& rows,
                          const TrainConfig& config);

}  // namespace protium
