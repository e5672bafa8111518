// SPDX-License-Identifier: Apache-2.0
// The processes that ran the gangs of a run, local workers and Spark's executors alike: where they
// are, what they have, what they run and have run.
#pragma once

#include "base/json.h"

namespace protium {

// From what the API tells of a run's gangs (RunStory::Gangs) and of the run itself (OverviewOf):
// [{"id", "host", "pid", "cores", "gpus": [address], "log", "began", "ended", "active", "why",
// "peak_bytes", "tasks": [{"task", "attempt", "rank", "began", "ended", "done"}]}], times in
// milliseconds since 1970; what is not known, and the end of what goes on, is left out. "why": how
// one that was lost ended. "peak_bytes": the most that it had resident. "done": a task ended as it
// was to.
Json ExecutorsOf(const Json& gangs, const Json& overview);

}  // namespace protium
