// SPDX-License-Identifier: Apache-2.0
// Fitting as a run: what `runs`, `ui` and the report show of a job, they show of it.
#pragma once

#include <filesystem>

#include "base/status.h"
#include "c/room.h"
#include "plan/node.h"
#include "protium/pipeline.h"

namespace protium {

struct FittedRun {
  PipelineModel model;  // Of the session itself.
  std::filesystem::path run;
};

// Fits the pipeline in a new run folder below room.fits(). A fit that fails leaves its folder only
// in a session whose folder stays. Only inside room.With().
Result<FittedRun> FitAsRun(Room& room, Session& session, const Pipeline& pipeline,
                           const Plan& rows);

// Writes the report into the folder of a run and returns the file's path.
Result<std::filesystem::path> WriteReport(const std::filesystem::path& run);

}  // namespace protium
