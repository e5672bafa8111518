// SPDX-License-Identifier: Apache-2.0
// A finished or broken-off run as people and scripts want to see it.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// result.json of a run, or an empty object while there is none.
Json ReadResult(const std::filesystem::path& run);

// run.json, result.json and the job, in one object.
Json RunAsJson(const std::filesystem::path& run);
Result<std::string> RunAsText(const std::filesystem::path& run);

// {"runs": [a, b], "settings": [{"key", "a", "b"}], "metrics": [{"key", "a", "b"}]}: settings only
// where they differ.
Json CompareRuns(const std::filesystem::path& a, const std::filesystem::path& b);
std::string ComparedAsText(const Json& compared);

// The metrics of a result as a table: a row for the model and one for the baseline.
std::string MetricsTable(const Json& result);

// Which rows the metrics "test" are of, and ", epoch 8 (the best)" of those of validation, or "".
std::string ScoredRows(const Json& result);
std::string BestEpoch(const Json& result);

// The end of run and resume on stdout: for people, or the one JSON line that scripts rely on.
Status PrintRunResult(const Json& result, bool json);

// Leaves of a tree by dotted path, in order.
std::vector<std::pair<std::string, Json>> Leaves(const Json& tree);

}  // namespace protium
