// SPDX-License-Identifier: Apache-2.0
// The page's data about one run: for each screen a function from its folder to JSON. All of them
// work on a run that is going on, has failed, or was killed.
#pragma once

#include "base/json.h"
#include "page/live_run.h"

namespace protium {

// The top of every screen: state, times, current activity, parts with time, rows and bytes per
// second, the failure with the last lines of the rank's log, results.
Result<Json> OverviewOf(LiveRun& run);

// The run's curves, each of at most `most` points: {"x": "step", or "round" of trees, "series",
// "marks": [{"step", "text"}], "behind_bytes"}. Marks are restarts, and the epoch or round whose
// weights the model has.
Result<Json> MetricsOf(LiveRun& run, size_t most);

// {"settings": [{"key", "value", "from"}], "versions", "argv"}
Json SettingsOf(const std::filesystem::path& run);

// {"engine", "tree", "sql", "etl_sql", "not_exact", "stages", "pipeline", "placement", "training",
// "shards_text", "tables", "inputs"} of the job, as far as they exist.
Json PlanOf(const std::filesystem::path& run);

// The model and how good it is: {"labels", "input": [{"name", "type"}], "classes", "metrics",
// "diagnostics", "importance", "splits", "history", "files", "fingerprint", ...}.
Json ModelOf(const std::filesystem::path& run);

// The forest of the model, or one of its trees, as model/drawn_forest.h has them; {} for a run
// without a model and for models of other kinds.
Result<Json> ForestOf(const std::filesystem::path& run);
Result<Json> TreeOf(const std::filesystem::path& run, int64_t tree);

// The differences between runs: {"runs": [...], "settings": [{"key", "values": [...]}], "metrics":
// [...], "same_settings": N}.
Json DifferencesOf(const std::vector<std::filesystem::path>& runs);

}  // namespace protium
