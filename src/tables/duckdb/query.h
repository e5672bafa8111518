// SPDX-License-Identifier: Apache-2.0
// One SELECT running in the embedded database, as a stream of Arrow batches; and what must run
// beside it: stops, deadlines, progress.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/call.h"
#include "column/stream.h"
#include "duckdb/handles.h"

namespace protium {

// Interrupts the connection's query when the call is stopped or its deadline passes, and sends
// EtlProgress twice a second. Runs a thread of its own until it is destroyed, which must be before
// the connection is.
class QueryWatch {
 public:
  // With `beside`, another connection of the same database, progress also reports what the database
  // uses in memory and on disk ("held", "spilled", in bytes). May be null.
  QueryWatch(const duck::Connection& connection, const Call& call, std::string name,
             const duck::Connection* beside = nullptr);
  ~QueryWatch();

  // Counts rows that the query has returned so far.
  void AddRows(int64_t rows) { rows_ += rows; }
  // Ends the watch and reports that all rows have come.
  void Finish(int64_t rows);
  // Replaces the status of an interrupted query with the reason: stopped, or too late (exit
  // kStalled). Returns other statuses as they are.
  Status Explain(const Status& status) const;

 private:
  void Watch(const std::stop_token& ended);
  void ReportHowFar();

  duckdb_connection connection_;
  const Call call_;
  const std::string name_;
  const duck::Connection* const beside_;
  std::atomic<int64_t> rows_ = 0;
  std::atomic<bool> late_ = false;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

// Returns the schema of a SELECT whose types Arrow has. Moves no data.
Result<SchemaPtr> DescribeSchema(const duck::Connection& connection, const std::string& select);

// Runs a statement to its end; returns the number of rows that it reports as changed. For `beside`
// see QueryWatch.
Result<int64_t> RunStatement(const duck::Connection& connection, const duck::Connection& beside,
                             const std::string& sql, const Call& call, const std::string& name);

// Streams a SELECT over `connection`, which the stream then owns. Batches have at least 1 MiB,
// except the last; the stream does not read ahead of its caller.
Result<BatchStreamPtr> StreamQuery(duck::Connection connection, const std::string& select,
                                   const Call& call, const std::string& name);

}  // namespace protium
