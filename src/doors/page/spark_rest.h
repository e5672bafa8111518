// SPDX-License-Identifier: Apache-2.0
// Runs in the terms of Spark's monitoring REST API, for tools that read it: a run is an application
// of one job, its parts are stages, the ranks of a gang are tasks, executors are executors. What a
// run does not know, such as JVM memory, is omitted. docs/page.md lists the fields.
#pragma once

#include "base/json.h"

namespace protium {

// `overview` is from OverviewOf(), `summary` from RunIndex::List().
Json SparkApplication(const Json& summary);
// `executors` is from ExecutorsOf().
Json SparkJobs(const Json& overview, const Json& executors);
Json SparkStages(const Json& overview, const Json& executors);
// All executors, or only the active ones.
Json SparkExecutors(const Json& overview, const Json& executors, bool all);
// `settings` is from SettingsOf().
Json SparkEnvironment(const Json& settings);

}  // namespace protium
