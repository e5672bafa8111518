// SPDX-License-Identifier: Apache-2.0
// A training whose rows of ids lie on servers, up to where Train() begins: as a rank that all have
// started with or, where ranks are taken over (gang/roster.h), as a process that waits until one of
// them has died.
#pragma once

#include <memory>

#include "base/status.h"
#include "gang/membership.h"
#include "gang/task.h"
#include "pipeline/torch_task.h"
#include "tasks/rank_rows.h"
#include "tasks/tasks.h"
#include "tensor/id_tables.h"
#include "tensor/net.h"
#include "train/served_tables.h"

namespace protium {

struct ServedTraining {
  RankRows rows;
  std::unique_ptr<ServedTables> tables;
  Communicator* communicator = nullptr;
  GangMembership* membership = nullptr;  // nullptr: a death ends the attempt.
  bool taken = false;  // The rank is that of a process that has ended, in a later generation.
};

// The gang, if it goes on after a death; nullptr: it starts again. It does where average rows would
// have to be put back, too, and where servers take gradients as they come.
GangMembership* GangOfServers(const TrainConfig& config, TaskContext& context);

// Collective, except for a process that takes a rank: that one returns when it has it. Rank 0
// reports which ids go on and where the rows lie.
Result<ServedTraining> ServeTables(const TaskRows& all, const TrainConfig& config, NetInputs inputs,
                                   TaskContext& context);

}  // namespace protium
