// SPDX-License-Identifier: Apache-2.0
// A commit: the actions of one version, a line of JSON each (Delta Transaction Log Protocol,
// "Actions").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "delta/table.h"
#include "sources/lake_file.h"

namespace protium {

struct DeltaCommit {
  StoreMode mode = StoreMode::kReplace;
  std::optional<Json> created;          // The schema of a new table.
  std::vector<std::string> partitions;  // Of a new table.
  std::string application;              // Whose commit it is: with one version there is one.
  int64_t application_version = 1;
  std::string id;      // A random UUID, which tells the commit from all others.
  int64_t millis = 0;  // Since 1970.
  std::vector<LakeFile> added;
  std::vector<Json> removed;  // As they were added: the contents of their actions "add".
};

std::string CommitText(const DeltaCommit& commit);

// "00000000000000000012.json"
std::string CommitName(int64_t version);

}  // namespace protium
