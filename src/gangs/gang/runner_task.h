// SPDX-License-Identifier: Apache-2.0
// The messages between Runner and RunnerTask() (protium/runner.h).
#pragma once

#include "gang/task.h"

namespace protium {

// MapTask::config: {"args", "folder"}.
std::string RunnerConfig(const Json& args, const std::string& folder);

// Columns of the one row that rank 0 emits: its value as JSON.
SchemaPtr RunnerColumns();

}  // namespace protium
