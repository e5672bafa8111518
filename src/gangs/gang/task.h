// SPDX-License-Identifier: Apache-2.0
// The door's tasks, and what those of the house need to run as one.
#pragma once

#include "base/json.h"
#include "collective/communicator.h"
#include "column/stream.h"
#include "protium/task.h"

namespace protium {

// How the ranks of the task's gang talk to each other; fails without a gang.
Result<Communicator*> CommunicatorOf(TaskContext& context);
// Of an elastic gang: how a task finds out who is in. nullptr: the ranks stay the same, and one
// that dies ends the attempt.
GangMembership* MembershipOf(TaskContext& context);

// Emits a row whose only column, of text, holds `value` as JSON.
Status EmitJson(TaskContext& context, const Json& value);

}  // namespace protium
