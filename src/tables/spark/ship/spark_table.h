// SPDX-License-Identifier: Apache-2.0
// A plan's rows on Spark: the output of LowerPlan, from which jobs are built.
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <vector>

#include "column/stream.h"
#include "connect/relations.h"

namespace protium {

// The result of lowering a plan. The columns have the types that our tables support: timestamps
// with a zone were cast to TIMESTAMP_NTZ in UTC.
struct SparkTable {
  connect::Relation relation;
  SchemaPtr schema;
  // The text that is sent; empty for a table that needed no SQL.
  std::string sql;
  // What may differ between engines or between runs, with reasons.
  std::vector<std::string> not_exact;
};

}  // namespace protium
