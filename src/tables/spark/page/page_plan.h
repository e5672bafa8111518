// SPDX-License-Identifier: Apache-2.0
// What Spark's monitoring (/api/v1/applications/ID of its own page) reports about one operation.
// Each function takes a response as it came, whatever it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"

namespace protium {

// Returns the id of the Spark Connect operation that started the job of /jobs/ID, which Spark puts
// into one of its tags; empty if there is none.
std::string OperationOfJob(const Json& job);

// Whether this Spark Connect session requested an execution of /sql.
bool IsOfSession(const Json& execution, const std::string& session);

// Returns the jobs that an execution of /sql runs and has run, in order.
std::vector<int64_t> JobsOfExecution(const Json& execution);

// Whether the execution of /sql/ID has ended, so that its figures are final.
bool IsExecutionOver(const Json& execution);

// Returns the operators of /sql/ID in the form of connect::OperatorsOf: [{"name", "depth", "rows",
// "seconds", "what"}], each before those that it reads from.
Json OperatorsOfExecution(const Json& execution);

}  // namespace protium
