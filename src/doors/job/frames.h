// SPDX-License-Identifier: Apache-2.0
// Runs a job file as calls of a session: the same operations that a program would call, nothing
// more. All functions report faults in the terms of the job's file (job/file_terms.h).
#pragma once

#include "frame/session_state.h"
#include "job/job.h"

namespace protium {

struct JobFrames {
  DataFrame etl;    // The result of the SQL.
  DataFrame train;  // One side of [split]; without a split, all rows.
  DataFrame test;   // The other side; without a split, also all rows.
};

// Opens the tables and checks the SQL, the outputs' paths and their columns. Runs no query; CSV
// files are read to infer types.
Result<JobFrames> OpenJob(Session& session, const Job& job);

// Checks the stages against the columns of the rows and describes what the job would do, without
// running it: {"sql", "not_exact", "placement", "training", "stages", "tree", ...}.
Result<Json> PlanJob(Session& session, const Job& job, const JobFrames& frames);

// What a run of the job would take from the store: plan["kept"] of PlanJob(), then what was made of
// its table (DescribeKept()), if that would be taken.
Result<Json> KeptForJob(Session& session, const Job& job, const JobFrames& frames,
                        const Json& plan);

// Lists every setting in effect: [{"key", "value", "from"}], where "from" is a position in the
// file, a --set, or "default". `pipeline` is the complete list of stages, from PlanJob().
Json ListSettings(const Job& job, const Json& pipeline);

// The versions that a run was made with, for its job.json.
Json Versions();

// Fits the pipeline, scores the test rows, writes the outputs and then the model.
Status RunJob(Session& session, const Job& job, const JobFrames& frames);

}  // namespace protium
