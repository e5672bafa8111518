// SPDX-License-Identifier: Apache-2.0
// What the page tells of one run, a function from its folder to JSON for each of its screens. All
// of them work on a run that goes on, has failed, or was killed.
#pragma once

#include "base/json.h"
#include "page/live_run.h"

namespace protium {

// The head of every screen: state, times, what happens now, parts with time, rows and bytes a
// second, the failure with the last lines of the rank's log, results.
Result<Json> OverviewOf(LiveRun& run);

// Its curves, each of at most `most` points: {"series", "marks": [{"step", "text"}],
// "behind_bytes"}. Marks are restarts, and the epoch whose weights the model has.
Result<Json> MetricsOf(LiveRun& run, size_t most);

// {"settings": [{"key", "value", "from"}], "versions", "argv"}
Json SettingsOf(const std::filesystem::path& run);

// {"engine", "tree", "sql", "etl_sql", "not_exact", "stages", "pipeline", "placement", "training",
// "shards_text", "tables", "inputs"} of the job, as far as it has them.
Json PlanOf(const std::filesystem::path& run);

// The model and how good it is: {"labels", "input": [{"name", "type"}], "classes", "metrics",
// "diagnostics", "importance", "history", "files", "fingerprint", ...}.
Json ModelOf(const std::filesystem::path& run);

// The trials of a search: trials.json, or what the events tell while it goes on.
Result<Json> TrialsOf(LiveRun& run);

// What differs between runs: {"runs": [...], "settings": [{"key", "values": [...]}], "metrics":
// [...], "same_settings": N}.
Json DifferencesOf(const std::vector<std::filesystem::path>& runs);

}  // namespace protium
