// SPDX-License-Identifier: Apache-2.0
// The log of a Delta table, here or at an object store: what it says now.
#pragma once

#include <string>
#include <vector>

#include "delta/table.h"
#include "duckdb/handles.h"
#include "protium/sources.h"

namespace protium {

// Reads through DuckDB, which must be able to open the place (OpenSources::OpenPlace). Faults are
// those of the place, and kInput for a log with a gap.
class DeltaLog {
 public:
  DeltaLog(const duck::Connection& connection, const Source& source)
      : connection_(connection), source_(source) {}

  // Reads the log as far as it goes at this moment, what follows is said of that: anew, or, if it
  // was read before, the commits since then.
  Result<DeltaTable> Read();
  // The newest version of an application's transactions (Delta Transaction Log Protocol,
  // "Transaction Identifiers"); -1: it has none.
  Result<int64_t> NewestOf(const std::string& application);
  // The files that make up the table: the contents of their actions "add", with their statistics as
  // the text of JSON, or without.
  enum class Statistics { kNone, kText };
  Result<std::vector<Json>> Files(Statistics statistics = Statistics::kNone);
  // Writes what was read by Read(), which must have found a table, as a checkpoint, so that readers
  // need not begin with the first commit. Two that write one at once write the same.
  Status WriteCheckpoint(const DeltaTable& table);
  // The folder of the log.
  std::string folder() const;

 private:
  Status Load(const std::vector<std::string>& files, const std::string& checkpoint);
  Result<Json> Newest(const std::string& action);
  Status CopyInto(const std::string& name, const std::string& select, const std::string& format);
  Result<std::string> Ask(const std::string& column, const std::string& where);

  const duck::Connection& connection_;
  const Source& source_;
  int64_t loaded_ = -1;  // The newest version that was read.
};

}  // namespace protium
