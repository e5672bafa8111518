// SPDX-License-Identifier: Apache-2.0
// What Spark counted in the plan that it executed: the answer to "where did the time go" on its
// side.
#pragma once

#include "base/json.h"
#include "connect/messages.h"

namespace protium::connect {

// [{"name", "depth", "rows", "seconds", "what"}], an operator before those that it reads from, in
// the form of duckdb/operator_times.h; empty where nothing was counted. "seconds" are the
// sum of the times that Spark keeps of the operator, over all tasks; those of a WholeStageCodegen
// are of all that it has compiled into one. "what": its other figures. Operators that keep no rows
// or no times have none.
Json OperatorsOf(const proto::ExecutePlanResponse::Metrics& metrics);

// Nodes of Spark's plans that hold others together and work on no rows themselves.
bool IsWrapperNode(const std::string& name);

}  // namespace protium::connect
