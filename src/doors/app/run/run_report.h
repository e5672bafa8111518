// SPDX-License-Identifier: Apache-2.0
// Reports on a finished or aborted run for people and scripts.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "run/summary.h"

namespace protium {

// "2026-11-23 08:33" of "2026-11-23T08:33:21.936Z".
std::string MinuteText(std::string time);

Result<std::string> RunAsText(const std::filesystem::path& run);

// Returns the metrics of a result as a text table, with rows for the model, the baseline and
// validation; empty if nothing was measured.
std::string MetricsTable(const Json& result);

// Returns the name of the rows measured by "metrics.test" ("test rows"); and ", epoch 8 (the best)"
// for the validation rows, or "".
std::string ScoredRows(const Json& result);
std::string BestEpoch(const Json& result);

// Prints what run and resume put on stdout at the end: text for people, or the one JSON line whose
// keys scripts rely on.
Status PrintRunResult(const Json& result, bool json);

}  // namespace protium
