// SPDX-License-Identifier: Apache-2.0
// How the ranks of a new generation (gang/membership.h) come to the same state: each says where it
// stands, and all go on from the furthest. A step counts for all or for none: one that only some
// ranks had applied when another died is taken over by the others, not computed again.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "collective/communicator.h"
#include "train/checkpoint.h"
#include "train/resume.h"

namespace protium {

struct Standing {
  Learner learner;
  CheckpointState& state;
  int64_t& saved_step;    // Of the newest checkpoint that every rank knows to be on the disk.
  bool newcomer = false;  // Has no state yet.
  bool over = false;      // All steps are made; the tensors may be those that are handed out.
};

// Collective. Takes tensors and state from the rank that is furthest. Ranks that stand there too
// must hold the same bits. A failure leaves a rank that was not the furthest with tensors of
// either; it must catch up again before it goes on, and until then counts as a newcomer:
// `standing.newcomer` says so.
Status CatchUp(Standing& standing, Communicator& ranks);

}  // namespace protium
