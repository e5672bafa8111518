// SPDX-License-Identifier: Apache-2.0
// What run and resume ask RunToEnd for.
#pragma once

#include "app/arguments.h"
#include "app/job/job.h"
#include "app/run/run_to_end.h"
#include "app/verb.h"

namespace protium {

// The job as it will run. Its own text is checked here, before any file is opened. `said` is the
// list of settings of a run that goes on, which knows where each was said.
Result<RunRequest> RequestForJob(Job job, const Invocation& invocation, const Json& said = {});

// A user's own program. `settings` is what --set said: {"data": "...", "train.epochs": 5}.
RunRequest RequestForProgram(const Invocation& invocation, const Json& settings,
                             const std::filesystem::path& base, const std::string& engine);

// --set as one flat object.
Result<Json> SettingsFrom(const std::vector<std::string>& sets);

// Versions of what the run was made with, for job.json.
Json Versions();

}  // namespace protium
