// SPDX-License-Identifier: Apache-2.0
// The requests that run and resume pass to RunToEnd.
#pragma once

#include "app/run/run_to_end.h"
#include "app/verb.h"
#include "job/job.h"
#include "terminal/arguments.h"

namespace protium {

// Makes the request that runs a job. `said` is the list of settings from the job.json of a run that
// is being resumed: it records where each was given, which the saved job does not.
Result<RunRequest> RequestForJob(Job job, const Invocation& invocation, const Json& said = {});

// Makes the request that runs a user's own program. `settings` are those of --set, flat: {"data":
// "...", "train.epochs": 5}. Relative input paths start at `base`.
RunRequest RequestForProgram(const Invocation& invocation, const Json& settings,
                             const std::filesystem::path& base, const std::string& engine);

// Returns the --set assignments as one flat object; if two have the same key, the later one counts.
Result<Json> SettingsFrom(const std::vector<std::string>& sets);

}  // namespace protium
