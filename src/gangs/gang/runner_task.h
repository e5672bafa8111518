// SPDX-License-Identifier: Apache-2.0
// What Runner and RunnerTask() (protium/runner.h) say to each other.
#pragma once

#include "gang/task.h"

namespace protium {

// MapTask::config: {"args", "folder"}.
std::string RunnerConfig(const Json& args, const std::string& folder);

// Of the one row that rank 0 emits: its value as JSON.
SchemaPtr RunnerColumns();

}  // namespace protium
