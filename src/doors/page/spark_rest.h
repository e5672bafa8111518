// SPDX-License-Identifier: Apache-2.0
// Runs in the words of Spark's monitoring REST API, for tools that read it: a run is an application
// of one job, a part of it is a stage, a rank of a gang a task, an executor is one. What a run does
// not know, such as memory of the JVM, is left out. docs/page.md says which fields there are.
#pragma once

#include "base/json.h"

namespace protium {

// `overview`: what OverviewOf() tells of a run; `summary`: of RunIndex::List().
Json SparkApplication(const Json& summary);
// `executors`: of ExecutorsOf().
Json SparkJobs(const Json& overview, const Json& executors);
Json SparkStages(const Json& overview, const Json& executors);
// All of them, or those that are there now.
Json SparkExecutors(const Json& overview, const Json& executors, bool all);
// `settings`: of SettingsOf().
Json SparkEnvironment(const Json& settings);

}  // namespace protium
