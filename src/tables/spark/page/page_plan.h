// SPDX-License-Identifier: Apache-2.0
// What Spark's monitoring (/api/v1/applications/ID of its own page) tells of one operation. Each
// takes an answer as it came, whatever that is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"

namespace protium {

// The id of the operation of Spark Connect that started the job of /jobs/ID, which Spark puts into
// one of its tags; empty where there is none.
std::string OperationOfJob(const Json& job);

// Whether an execution of /sql was asked for by this session of Spark Connect.
bool IsOfSession(const Json& execution, const std::string& session);

// The jobs that an execution of /sql runs and has run, in order.
std::vector<int64_t> JobsOfExecution(const Json& execution);

// Whether /sql/ID tells of an execution that is over, so that its figures are the last.
bool IsExecutionOver(const Json& execution);

// The operators of /sql/ID in the form of connect::OperatorsOf: [{"name", "depth", "rows",
// "seconds", "what"}], one before those that it reads from.
Json OperatorsOfExecution(const Json& execution);

}  // namespace protium
