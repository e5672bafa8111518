// SPDX-License-Identifier: Apache-2.0
// The door's tasks, and what those of the house need to run as one.
#pragma once

#include "base/json.h"
#include "collective/communicator.h"
#include "column/stream.h"
#include "protium/task.h"

namespace protium {

// Emits a row whose only column, of text, holds `value` as JSON.
Status EmitJson(TaskContext& context, const Json& value);

}  // namespace protium
