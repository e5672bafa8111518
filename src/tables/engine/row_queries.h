// SPDX-License-Identifier: Apache-2.0
// Steps of plans, and SQL, computed for a few given rows, in the calling process and without
// workers: bit for bit what the embedded engine would do to a table of them.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "column/stream.h"
#include "plan/node.h"

namespace protium {

// Steps prepared for rows of certain columns. Any thread; calls take turns.
class RowQuery {
 public:
  virtual ~RowQuery() = default;
  virtual const SchemaPtr& schema() const = 0;  // The columns that Apply() returns.
  // Returns one row for each of `rows`, in their order.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> Apply(
      const arrow::RecordBatch& rows) const = 0;
};

// A table that a query reads besides the given rows.
struct MemoryTable {
  std::string name;
  std::shared_ptr<arrow::RecordBatch> rows;
};

// SQL prepared for a table whose rows are others in each call. Any thread; calls take turns.
class TableQuery {
 public:
  virtual ~TableQuery() = default;
  virtual const SchemaPtr& schema() const = 0;  // The columns that Run() returns.
  // Returns the result over `rows`, whose columns are those that the query was prepared for: any
  // number of rows, the same in the same order for the same rows and tables.
  virtual Result<std::shared_ptr<arrow::RecordBatch>> Run(const arrow::RecordBatch& rows) const = 0;
};

// What the SQL of a TableQuery is about.
struct TableQueryText {
  std::string sql;    // A SELECT in Spark's dialect.
  std::string table;  // The name of the table of the given rows,
  SchemaPtr columns;  // and its columns.
  std::vector<MemoryTable> others;
};

// The same for a plan.
struct TableQueryPlan {
  Plan plan;          // Over `rows` and `others`, all of which are NamedTables.
  Plan rows;          // The given rows,
  SchemaPtr columns;  // and their columns.
  std::vector<std::pair<Plan, std::shared_ptr<arrow::RecordBatch>>> others;
};

// Prepares them. Any thread.
class RowQueries {
 public:
  virtual ~RowQueries() = default;
  // `steps` follow each other; each has one input and returns one row per row. Errors in them are
  // the faults of Engine::Analyze(). The query may outlive this object.
  virtual Result<std::shared_ptr<const RowQuery>> Prepare(const std::vector<Verb>& steps,
                                                          const SchemaPtr& columns) = 0;
  // Copies the other tables. Errors in the SQL are the faults of Engine::Analyze(). The query may
  // outlive this object.
  virtual Result<std::shared_ptr<const TableQuery>> Prepare(const TableQueryText& text) = 0;
  virtual Result<std::shared_ptr<const TableQuery>> Prepare(const TableQueryPlan& plan) = 0;
};

// The embedded engine's library also has this entry, as protium_open_rows: see EngineEntry.
using RowQueriesEntry = bool (*)(int32_t version, Result<std::unique_ptr<RowQueries>>& queries);

// Opens the library. `needed_for` is for the message if it is not there.
Result<std::unique_ptr<RowQueries>> OpenRowQueries(const std::string& needed_for);

}  // namespace protium
