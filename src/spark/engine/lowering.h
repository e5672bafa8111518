// SPDX-License-Identifier: Apache-2.0
// Plans as relations of Spark Connect: the relational part as SQL text in Spark's spelling, over
// files, kept results and tasks as tables that the text names.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "plan/node.h"
#include "spark/connect/relations.h"
#include "spark/ship/spark_table.h"
#include "sql/kept_rows.h"

namespace protium {

// A materialised node: where its rows lie, and the marks they carry. The relation has no name yet.
struct KeptRelation {
  connect::Relation relation;
  KeptRows rows = {};
};

struct LoweringContext {
  // The schema of a relation; moves no data.
  std::function<Result<SchemaPtr>(const connect::Relation& relation)> describe;
  // The relation that runs a task over `rows`, which `input` is. Empty: the task's rows are left
  // out, which is enough to know their types.
  std::function<Result<connect::Relation>(const MapTask& task, const Plan& rows,
                                          const SparkTable& input)>
      map;
  // A table of rows that the driver has.
  std::function<Result<connect::Relation>(const SchemaPtr& schema,
                                          const arrow::RecordBatchVector& batches)>
      local_table;
  // Does Spark take quotes doubled inside quotes? 4.0 does not.
  bool doubled_quotes = true;
  // Materialised nodes; nothing below them is lowered.
  std::unordered_map<const Node*, KeptRelation> kept;
};

// `plan` is no Write.
Result<SparkTable> LowerPlan(const Plan& plan, const LoweringContext& context);

// `table`, which is to be kept, with the sides of the cuts in `kept.marks` as columns; fills in the
// rest of `kept`.
Result<SparkTable> LowerMarks(const SparkTable& table, const LoweringContext& context,
                              KeptRows& kept);

}  // namespace protium
