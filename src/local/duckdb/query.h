// SPDX-License-Identifier: Apache-2.0
// One SELECT running in the embedded database, as a stream of Arrow batches.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/call.h"
#include "engine/engine.h"
#include "local/duckdb/handles.h"

namespace protium {

// Interrupts the connection's query when the call is stopped or its deadline passes, and tells of
// progress twice a second. Ends with its owner, before the connection does.
class QueryWatch {
 public:
  // `beside` may be null.
  QueryWatch(const duck::Connection& connection, const Call& call, std::string name,
             const duck::Connection* beside = nullptr);
  ~QueryWatch();

  void AddRows(int64_t rows) { rows_ += rows; }
  // Ends the watch and tells that all rows are there.
  void Finish(int64_t rows);
  // Replaces the status of a query that was interrupted by the reason: stopped, or too late.
  Status Explain(const Status& status) const;

 private:
  void Watch(const std::stop_token& ended);
  void TellHowFar();

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

// Wraps a SELECT so that its columns have types that tables of ours carry: huge integers become
// BIGINT (too large ones fail), decimals DOUBLE, other widths and zones of time TIMESTAMP. A type
// without such a counterpart is a fault that names the column. Columns that share a name, too.
Result<std::string> WithPlainTypes(const duck::Connection& connection, const std::string& select);

// The schema of a SELECT that went through WithPlainTypes.
Result<SchemaPtr> SchemaOf(const duck::Connection& connection, const std::string& select);

// Runs a statement to its end; gives the number of rows it says it changed. Through `beside`, a
// connection of the same database, it is asked meanwhile how much the database holds.
Result<int64_t> RunStatement(const duck::Connection& connection, const duck::Connection& beside,
                             const std::string& sql, const Call& call, const std::string& name);

// Streams a SELECT over a connection of its own. Batches are at least 1 MiB but for the last; the
// first comes as soon as the query ends or has that much.
Result<BatchStreamPtr> StreamQuery(duck::Connection connection, const std::string& select,
                                   const Call& call, const std::string& name);

}  // namespace protium
