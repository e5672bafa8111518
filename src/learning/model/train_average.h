// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "frame/session_state.h"
#include "model/model_state.h"
#include "pipeline/train_rows.h"

namespace protium {

// The config of a training of the chain's estimator.
using ConfigOf = std::function<TrainConfig(const Chain& chain)>;

// Trains the members of an average, the chain's estimator, one after another as Train() (train.h)
// does; then lets the validation rows decide their weights (blend.h) and measures the blend on
// them. In a resumed session members that have been trained are read from members.json of the run.
// Records the members as "average" of the run. The chain is unchanged in the end.
Result<TrainResult> TrainAverage(SessionState& session, Chain& chain, const TrainRows& rows,
                                 const Learned& learned, const ConfigOf& config_of);

}  // namespace protium
