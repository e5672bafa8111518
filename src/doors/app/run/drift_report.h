// SPDX-License-Identifier: Apache-2.0
// --drift of `protium predict`: whether the rows to score are like those that the model learned
// from.
#pragma once

#include "protium/frame.h"
#include "protium/pipeline.h"
#include "terminal/arguments.h"

namespace protium {

Flag DriftFlag();

// The number of rows to compare: 0 for none, INT64_MAX for "all". Refuses (Exit::kUsage) anything
// else.
Result<int64_t> ReadDriftFlag(const Arguments& arguments);

// Compares the first `most` of the `count` rows and, if these differ, as many that are chosen
// evenly instead; sends what has drifted as a warning and notes. Returns {"rows", "columns": {name:
// psi}} of those; null if nothing was compared. A failure is a warning, since the rows are scored
// by now; a stop is passed on.
Result<Json> ReportDrift(const PipelineModel& model, const DataFrame& rows, int64_t most,
                         int64_t count);

}  // namespace protium
