// SPDX-License-Identifier: Apache-2.0
// The steps from settings to a job, shared by reading jobs (read_job.h) and finding all of their
// mistakes (mistakes.cc).
#pragma once

#include <string>
#include <vector>

#include "job/job.h"

namespace protium {

// Returns the file's settings overlaid with those of --set.
Result<Settings> LayOver(const Settings& as_written, const std::vector<std::string>& sets);

// Fills the job from its settings; `as_written` are those of the file only. On failure, what is
// known so far remains in `job`, since translating the fault into the terms of the file needs the
// places and the estimator's position. The fault's `where` is a path. For a job whose extensions
// are left alone, job.unloaded records what was not checked; if that includes a loss, there is no
// pipeline.
Status Finish(Job& job, const Settings& as_written, Extensions extensions = Extensions::kLoad);

// Returns the fault of Finish() in the terms of the file. `job` is what Finish() left.
Status Explained(const Job& job, const Status& finished);

// Makes a fault of Exit::kUsage whose `where` is a path.
Status JobFault(std::string path, std::string what, std::string fix = "");

// Gives the values below `to` the places of those below `from`, so that faults about `to` point to
// the file's text for `from`.
void CopyPlaces(Settings& settings, const std::string& from, const std::string& to);

}  // namespace protium
