// SPDX-License-Identifier: Apache-2.0
// A commit: the actions of one version, a line of JSON each (Delta Transaction Log Protocol,
// "Actions").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "delta/table.h"

namespace protium {

// A file of rows, as it is added.
struct DeltaFile {
  std::string path;  // Relative to the table's folder; not encoded.
  int64_t bytes = 0;
  int64_t rows = 0;
  Json partitions = Json::object();  // Columns and their values as texts, or null.
  // Members of the file's statistics besides the number of rows ("Per-file Statistics").
  Json statistics = Json::object();
};

struct DeltaCommit {
  StoreMode mode = StoreMode::kReplace;
  std::optional<Json> created;          // The schema of a new table.
  std::vector<std::string> partitions;  // Of a new table.
  std::string application;              // Whose commit it is: with one version there is one.
  int64_t application_version = 1;
  std::string id;      // A random UUID, which tells the commit from all others.
  int64_t millis = 0;  // Since 1970.
  std::vector<DeltaFile> added;
  std::vector<Json> removed;  // As they were added: the contents of their actions "add".
};

std::string CommitText(const DeltaCommit& commit);

// "00000000000000000012.json"
std::string CommitName(int64_t version);

}  // namespace protium
