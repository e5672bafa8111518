// SPDX-License-Identifier: Apache-2.0
// A finished or broken-off run as people and scripts want to see it.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "run/summary.h"

namespace protium {

Result<std::string> RunAsText(const std::filesystem::path& run);

// The metrics of a result as a text table, with rows for the model, the baseline and validation;
// empty if nothing was measured.
std::string MetricsTable(const Json& result);

// How to call the rows that "metrics.test" is of ("test rows"); and ", epoch 8 (the best)" for
// those of validation, or "".
std::string ScoredRows(const Json& result);
std::string BestEpoch(const Json& result);

// What run and resume print on stdout at the end: for people, or as the one JSON line whose keys
// scripts rely on.
Status PrintRunResult(const Json& result, bool json);

}  // namespace protium
