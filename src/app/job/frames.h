// SPDX-License-Identifier: Apache-2.0
// A job file's tables and stages as frames of a session: the same operations that a program calls.
#pragma once

#include "app/job/job.h"
#include "frame/session_state.h"

namespace protium {

struct JobFrames {
  DataFrame etl;
  DataFrame train;  // All of it, where the job has no [split].
  DataFrame test;
};

// All three tell faults in the terms of the job's file (app/job/file_terms.h).

// Opens the tables and checks SQL, outputs and their columns. Runs nothing.
Result<JobFrames> OpenJob(Session& session, const Job& job);

// Checks the stages against the columns of the rows, and gives what the job will do, of which
// nothing runs: {"sql", "not_exact", "placement", "training", "stages", "tree"}.
Result<Json> PlanJob(Session& session, const Job& job, const JobFrames& frames);

// Every setting in effect: [{"key", "value", "from"}] where "from" is a place in the file, a --set,
// or "default".
Json SettingsOf(const Job& job, const Json& pipeline);

// Fits the pipeline, scores the test rows, writes the outputs and the model.
Status RunJob(Session& session, const Job& job, const JobFrames& frames);

}  // namespace protium
