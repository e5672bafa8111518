// SPDX-License-Identifier: Apache-2.0
// The processes that ran the gangs of a run, local workers and Spark's executors alike: where they
// are, what they have, what they run and have run.
#pragma once

#include "base/json.h"

namespace protium {

// From the API's gangs of a run (RunStory::Gangs) and the run itself (OverviewOf), returns [{"id",
// "host", "pid", "cores", "gpus": [address], "log", "began", "ended", "active", "why",
// "peak_bytes", "tasks": [{"task", "attempt", "rank", "began", "ended", "done"}]}], times in
// milliseconds since 1970; unknown values, and the end of what is still going on, are omitted.
// "why": how a lost one ended. "peak_bytes": its peak resident memory. "done": a task ended
// normally.
Json ExecutorsOf(const Json& gangs, const Json& overview);

}  // namespace protium
