// SPDX-License-Identifier: Apache-2.0
// Which trainings of a search have the same packed rows.
#pragma once

#include "frame/session_state.h"
#include "pipeline/chain.h"
#include "pipeline/torch_task.h"

namespace protium {

// Where the packed rows of this training are shared, and whether they are there. `table` is the
// plan of its rows before the stages of `chain`; in `config` is all else that decides them. Only
// workers of this machine share rows.
SharedRows SharedWith(SessionState& session, const Chain& chain, const Plan& table,
                      const TrainConfig& config);

}  // namespace protium
