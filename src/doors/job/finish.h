// SPDX-License-Identifier: Apache-2.0
// The steps from settings to a job, for what reads jobs (read_job.h) and what looks for all of
// their mistakes (mistakes.cc).
#pragma once

#include <string>
#include <vector>

#include "job/job.h"

namespace protium {

// The file's settings with those of --set laid over them.
Result<Settings> LayOver(const Settings& as_written, const std::vector<std::string>& sets);

// Fills the job from its settings; `as_written` are those of the file alone. If this fails, what is
// known so far stays in `job`, since the places and the estimator's position are needed to put the
// fault into the terms of the file. The fault's `where` is a path. Of a job whose extensions are
// left alone, job.unloaded says what was not checked; with a loss among it there is no pipeline.
Status Finish(Job& job, const Settings& as_written, Extensions extensions = Extensions::kLoad);

// The fault of Finish() in the terms of the file. `job` is what Finish() has left.
Status Explained(const Job& job, const Status& finished);

// A fault of Exit::kUsage whose `where` is a path.
Status JobFault(std::string path, std::string what, std::string fix = "");

// Gives the values below `to` the places of those below `from`, so that faults about what stands at
// `to` point at what the file says at `from`.
void CopyPlaces(Settings& settings, const std::string& from, const std::string& to);

}  // namespace protium
