// SPDX-License-Identifier: Apache-2.0
// What an engine that runs a stream by itself cannot do of what streams can here, and what it
// promises instead.
#pragma once

#include <string>
#include <vector>

#include "job/job.h"

namespace protium {

// Whether the job's engine runs its stream by itself: one of other machines, which is Spark.
bool EngineRunsStream(const JobFile& job);

// Refuses (kUsage), by name, what such an engine does not do.
Status CheckEngineStream(const JobFile& job);

// What is true of such a stream and not of those that run here, for `protium plan`.
std::vector<std::string> EnginePromises(const JobFile& job);

}  // namespace protium
