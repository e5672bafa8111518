// SPDX-License-Identifier: Apache-2.0
// Extends the public task interface with what built-in tasks need.
#pragma once

#include "base/json.h"
#include "collective/communicator.h"
#include "column/stream.h"
#include "protium/task.h"

namespace protium {

// Returns how the ranks of the task's gang talk to each other; fails without a gang.
Result<Communicator*> CommunicatorOf(TaskContext& context);
// Returns how a task of an elastic gang learns who is in it. nullptr: the ranks stay the same, and
// a rank that dies ends the attempt.
GangMembership* MembershipOf(TaskContext& context);

// Emits a row whose only column, of text, holds `value` as JSON.
Status EmitJson(TaskContext& context, const Json& value);

}  // namespace protium
