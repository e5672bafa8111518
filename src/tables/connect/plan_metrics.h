// SPDX-License-Identifier: Apache-2.0
// Figures that Spark collected in the plan that it executed: where the time went on its side.
#pragma once

#include "base/json.h"
#include "connect/messages.h"

namespace protium::connect {

// Returns [{"name", "depth", "rows", "seconds", "what"}], an operator before those that it reads
// from, in the form of duckdb/operator_times.h; empty if nothing was counted. "seconds" is the sum
// of the times that Spark records for the operator, over all tasks; a WholeStageCodegen's cover
// everything compiled into it. "what": its other figures. Operators without recorded rows or times
// have no such member.
Json OperatorsOf(const proto::ExecutePlanResponse::Metrics& metrics);

// Whether a node of Spark's plans only holds others together and works on no rows itself.
bool IsWrapperNode(const std::string& name);

}  // namespace protium::connect
