// SPDX-License-Identifier: Apache-2.0
// Plans as relations of Spark Connect: the relational part becomes one SQL text in Spark's
// spelling, in which files, kept results and tasks appear as named tables (WithRelations).
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "connect/relations.h"
#include "plan/node.h"
#include "spark/ship/spark_table.h"
#include "sql/kept_rows.h"

namespace protium {

// A materialised node: its rows as a relation, and the marks that they carry. `rows.table` is empty
// until the relation gets its name in a query.
struct KeptRelation {
  connect::Relation relation;
  KeptRows rows = {};
};

// What lowering asks of the engine.
struct LoweringContext {
  // The schema of a relation; asks the server, moves no data.
  std::function<Result<SchemaPtr>(const connect::Relation& relation)> describe;
  // The relation that runs a task over `rows`, which `input` is the relation of. If empty, a task
  // is a table of its types without rows, which is enough to know the types above it.
  std::function<Result<connect::Relation>(const MapTask& task, const Plan& rows,
                                          const SparkTable& input)>
      map;
  // A table of rows that the driver holds.
  std::function<Result<connect::Relation>(const SchemaPtr& schema,
                                          const arrow::RecordBatchVector& batches)>
      local_table;
  // Whether Spark takes a quote doubled inside quotes. 4.0 does not.
  bool doubled_quotes = true;
  // Materialised nodes; nothing below them is lowered.
  std::unordered_map<const Node*, KeptRelation> kept;
};

// `plan` must not be a Write. Two columns of one name, and types that our tables do not carry, are
// Faults of exit kUsage.
Result<SparkTable> LowerPlan(const Plan& plan, const LoweringContext& context);

// `table`, which is to be kept, with the sides of the splits in `kept.marks` as further columns;
// fills in the names of columns in `kept`.
Result<SparkTable> LowerMarks(const SparkTable& table, const LoweringContext& context,
                              KeptRows& kept);

}  // namespace protium
