// SPDX-License-Identifier: Apache-2.0
// A job file's tables and stages as frames of a session: the same operations that a program calls.
#pragma once

#include <optional>

#include "app/job/job.h"
#include "frame/session_state.h"
#include "protium/pipeline.h"

namespace protium {

// The job's stages, checked as far as is possible without a table. Faults name the place in the
// job file. Nothing, where the job has no pipeline.
Result<std::optional<Pipeline>> PipelineOf(const Job& job);

struct JobFrames {
  DataFrame etl;
  DataFrame train;  // All of it, where the job has no [split].
  DataFrame test;
  std::optional<Pipeline> pipeline;
};

// Opens the tables and checks SQL, columns and stages against them. Runs nothing. Faults name the
// place in the job file.
Result<JobFrames> FramesOf(Session& session, const Job& job);

// What the job will do: {"sql", "not_exact", "placement", "training", "stages", "tree"}.
Result<Json> PlanOf(Session& session, const Job& job, const JobFrames& frames);

// Every setting in effect: [{"key", "value", "from"}] where "from" is a place in the file, a --set,
// or "default".
Json SettingsOf(const Job& job, const Json& pipeline);

// Fits the pipeline, scores the test rows, writes the outputs and the model.
Status RunJob(Session& session, const Job& job, const JobFrames& frames);

}  // namespace protium
