// SPDX-License-Identifier: Apache-2.0
// What a stream would do, without doing it.
#pragma once

#include <string>

#include "stream/stream_run.h"

namespace protium {

// Loads the model, reads the other tables and checks the SQL; reads no event and changes nothing:
// {"name", "source", "sink", "table", "sql", "own_sql", "events": [{"name", "type", "optional"}],
// "model", "output": [{"name", "type"}], "batches", "rows"}. "events" and "output" are missing if
// only a first event can tell them.
Result<Json> PlanStream(const StreamRequest& request);
std::string StreamPlanText(const Json& plan);

}  // namespace protium
