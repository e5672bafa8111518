// SPDX-License-Identifier: Apache-2.0
// The tables that a session has brought (format/bring.h): Parquet files in a folder of its own,
// which is removed with the session.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "base/call.h"
#include "format/bring.h"
#include "frame/inputs.h"
#include "os/file.h"

namespace protium {

// One thread.
class BroughtTables {
 public:
  // Uses the folder "tables" of the run; without a run, a temporary folder.
  explicit BroughtTables(const std::filesystem::path& run) : run_(run) {}
  ~BroughtTables();
  BroughtTables(const BroughtTables&) = delete;
  BroughtTables& operator=(const BroughtTables&) = delete;

  // Returns the Parquet file of a table, and makes it unless it exists: an interrupted run leaves
  // what it has brought, and a file is reused for the same files, options and known types. Reports
  // to `call` the progress and what was left out, and ends with Exit::kStopped when `call` requests
  // it.
  Result<std::string> Find(const std::string& name, const BringSpec& spec,
                           const InputRecord& inputs, const Call& call);

  // Returns an unused file name in the same folder, for rows that are in no file.
  Result<std::string> NewFile(const std::string& name);

 private:
  Result<std::filesystem::path> Folder();

  std::filesystem::path run_;
  std::filesystem::path folder_;  // Empty before the first table.
  std::set<std::string> files_;
  int64_t made_ = 0;  // New files so far.
  std::optional<TemporaryFolder> temporary_;
};

}  // namespace protium
