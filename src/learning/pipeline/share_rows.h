// SPDX-License-Identifier: Apache-2.0
// Finds which trainings of a search have the same packed rows.
#pragma once

#include "frame/session_state.h"
#include "pipeline/chain.h"
#include "pipeline/torch_task.h"

namespace protium {

// Where the packed rows of this training are shared, and whether they already exist. `table` is the
// plan of its rows before the stages of `chain`; `config` has everything else that determines them.
// Only workers on this machine share rows.
SharedRows SharedWith(SessionState& session, const Chain& chain, const Plan& table,
                      const TrainConfig& config);

}  // namespace protium
