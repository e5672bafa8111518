// SPDX-License-Identifier: Apache-2.0
// How the ranks of a new generation (gang/membership.h) reach the same state: each reports how far
// it is, and all continue from the furthest. A step counts for all or for none: if only some ranks
// had applied it when another died, the others copy its result instead of computing it again. Rows
// of ids on servers stay where they are; servers take back a step that no rank has made.
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

// Collective. Takes tensors and state from the rank that is furthest. Other ranks that are as far
// must hold the same bits. After a failure, a rank that was not the furthest may hold a mixture of
// old and new tensors: it must catch up again before it continues, and until then counts as a
// newcomer (`standing.newcomer` is set).
Status CatchUp(Standing& standing, Communicator& ranks);

}  // namespace protium
