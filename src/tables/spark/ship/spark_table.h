// SPDX-License-Identifier: Apache-2.0
// A plan's rows on Spark: what LowerPlan makes and what jobs are built from.
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <vector>

#include "column/stream.h"
#include "connect/relations.h"

namespace protium {

// What a plan became. The columns' types are those that our tables carry: timestamps with
// a zone were cast to TIMESTAMP_NTZ in UTC.
struct SparkTable {
  connect::Relation relation;
  SchemaPtr schema;
  // As it is sent; empty for a table that no SQL was needed for.
  std::string sql;
  // What may differ between engines or between runs, with reasons.
  std::vector<std::string> not_exact;
};

}  // namespace protium
