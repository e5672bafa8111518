// SPDX-License-Identifier: Apache-2.0
// The table protium_commits beside a table of a database: who wrote what into it, in the
// transaction that wrote it. A run has a row for each of its outputs; a stream has one row, which
// names its newest batch ("batch 12").
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "duckdb/handles.h"
#include "protium/sources.h"

namespace protium {

// "db"."shop"."orders": a table as DuckDB's SQL writes it, in a database that has the name
// `database` there.
std::string QualifiedTable(const std::string& database, const std::string& table);

// Makes a table unless there is one: a user may have the right to write into one and none to make
// any. `as` is what follows its name in CREATE TABLE.
Status MakeTable(const duck::Connection& connection, const std::string& table,
                 const std::string& as);

// The fault of a table that could not be written.
Status StoreFault(const Source& target, const Status& status);

class StoreMarks {
 public:
  // For the table `table` as it is called at the source.
  StoreMarks(const duck::Connection& connection, const std::string& database,
             const std::string& table);

  // Makes the table unless there is one. Before the transaction: MySQL commits then.
  Status Make() const;

  // How many rows the run has written for an output.
  Result<std::optional<int64_t>> RowsOf(const std::string& run, const std::string& output) const;
  Status Remove(const std::string& run, const std::string& output) const;
  Status Add(const std::string& run, const std::string& output, int64_t rows) const;

  // The newest batch of a stream; -1: none.
  Result<int64_t> NewestBatch(const std::string& stream) const;
  Status SetNewestBatch(const std::string& stream, int64_t number, int64_t rows) const;

 private:
  const duck::Connection& connection_;
  std::string table_;
};

}  // namespace protium
