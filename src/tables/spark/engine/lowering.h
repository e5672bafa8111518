// SPDX-License-Identifier: Apache-2.0
// Lowers plans to relations of Spark Connect: the relational part becomes one SQL text in Spark's
// dialect, in which files, kept results and tasks appear as named tables (WithRelations).
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

// What SparkTable::not_exact says of every SQL text.
inline constexpr const char* kNotExamined =
    "the text of the SQL: Spark runs it as it is; the plan on the engine \"local\" lists what "
    "other "
    "engines would answer differently";

// A materialised node: its rows as a relation, and the marks that they have. `rows.table` is empty
// until the relation gets its name in a query.
struct KeptRelation {
  connect::Relation relation;
  KeptRows rows = {};
};

// What lowering needs from the engine.
struct LoweringContext {
  // Returns the schema of a relation; asks the server, moves no data.
  std::function<Result<SchemaPtr>(const connect::Relation& relation)> describe;
  // Returns the relation that runs a task over `rows`, whose relation is `input`. If empty, a task
  // becomes an empty table of its output types, which is enough to know the types above it.
  std::function<Result<connect::Relation>(const MapTask& task, const Plan& rows,
                                          const SparkTable& input)>
      map;
  // Returns the relation of a table that lies in a database or a lake.
  std::function<Result<connect::Relation>(const Source& source)> open;
  // Returns where executors read a file or a folder of this host.
  std::function<Result<std::string>(const std::string& path)> file;
  // Makes a table of rows that the driver holds.
  std::function<Result<connect::Relation>(const SchemaPtr& schema,
                                          const arrow::RecordBatchVector& batches)>
      local_table;
  // Whether Spark understands a doubled quote inside quotes. 4.0 does not.
  bool doubled_quotes = true;
  // Tells the query's tables from those of others that the session reads at the same time; empty:
  // there are none.
  std::string query;
  // A Scan whose rows come as a stream, and what makes one of the relation of its files; null:
  // none.
  const Node* streamed = nullptr;
  std::function<Result<connect::Relation>(const Scan& scan, connect::Relation files)> follow;
  // Materialised nodes; nothing below them is lowered.
  std::unordered_map<const Node*, KeptRelation> kept;
};

// Lowers `plan`, which must not be a Write. Two columns of the same name, and types that our tables
// do not support, are Faults of exit kUsage.
Result<SparkTable> LowerPlan(const Plan& plan, const LoweringContext& context);

// Returns `table`, which is to be kept, with the sides of the splits in `kept.marks` as additional
// columns; fills in the column names in `kept`.
Result<SparkTable> LowerMarks(const SparkTable& table, const LoweringContext& context,
                              KeptRows& kept);

}  // namespace protium
