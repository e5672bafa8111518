// SPDX-License-Identifier: Apache-2.0
// The contents of a run's folder as JSON objects: all of them, or the few facts that a list of runs
// shows. Reading works whatever state the folder is in: missing and damaged files count as empty.
#pragma once

#include <filesystem>

#include "base/json.h"
#include "events/events.h"
#include "run/list.h"
#include "run/run_view.h"

namespace protium {

// A file of a run or a model; an empty object if there is none or it cannot be read.
Json ReadJson(const std::filesystem::path& file);

// result.json of a run; an empty object if there is none or it cannot be read.
Json ReadResult(const std::filesystem::path& run);

// run.json, result.json and the job, in one object.
Json RunAsJson(const std::filesystem::path& run);

// The progress of a run: {"step", "steps", "epoch", "epochs", "checkpoint"}; null if it has not
// begun to train.
Json ProgressOf(const RunView& view);

// {"run", "state", "started", "ended", "folder", "tags", "note", "progress", "metrics", "seconds"}:
// "progress" only if the run is not done and has begun to train; until the run is over, "metrics"
// is empty and "seconds", the total, is null.
Json SummaryOfRun(const RunEntry& entry);

}  // namespace protium
