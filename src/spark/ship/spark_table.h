// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/type_fwd.h>

#include <string>
#include <vector>

#include "column/stream.h"
#include "spark/connect/relations.h"

namespace protium {

// What a plan became. The columns' types are ones that tables of ours carry: decimals were made
// DOUBLE and times with a zone TIMESTAMP_NTZ in UTC.
struct SparkTable {
  connect::Relation relation;
  SchemaPtr schema;
  std::string sql;                     // As it is sent; empty for a table as it is.
  std::vector<std::string> not_exact;  // What may differ between engines or runs, with reasons.
};

}  // namespace protium
