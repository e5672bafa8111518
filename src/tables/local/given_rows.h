// SPDX-License-Identifier: Apache-2.0
// Offers batches in memory to the embedded database as tables, without copying them into it.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "duckdb/handles.h"

namespace protium {

// A table whose rows are those of one batch after another. Used by one thread at a time.
class GivenTable {
 public:
  // A table of these columns; `connection` must outlive it.
  static Result<std::unique_ptr<GivenTable>> Make(const duck::Connection& connection,
                                                  std::shared_ptr<arrow::Schema> schema);
  // From now on the table has these rows, whose columns are the table's. They must stay until
  // Clear(), and all reads of the table must have finished by then.
  void Show(std::shared_ptr<arrow::RecordBatch> rows);
  void Clear();

  // For the function of RegisterGivenRows().
  void Describe(duckdb_bind_info info) const;
  Status Give(duckdb_data_chunk to);

 private:
  explicit GivenTable(const duck::Connection& connection) : connection_(connection) {}

  const duck::Connection& connection_;
  std::vector<duck::Column> columns_;
  duck::ArrowColumns arrow_columns_;
  std::shared_ptr<arrow::RecordBatch> rows_;
  int64_t at_ = 0;                  // The first row that has not been given yet.
  std::vector<duck::Chunk> given_;  // Results refer to their contents.
};

// The tables of one database, by number. Thread-safe.
class GivenTables {
 public:
  int64_t Add(std::unique_ptr<GivenTable> table);  // Returns its number.
  // Valid until Remove(); nullptr if there is none.
  GivenTable* Find(int64_t number);
  void Remove(int64_t number);

 private:
  std::mutex mutex_;
  int64_t last_ = 0;
  std::map<int64_t, std::unique_ptr<GivenTable>> tables_;
};

// Registers the table function pt_given(number), which reads one of `tables`. They must outlive all
// queries that call it.
Status RegisterGivenRows(const duck::Connection& connection, GivenTables& tables);

}  // namespace protium
