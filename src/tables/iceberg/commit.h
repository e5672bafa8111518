// SPDX-License-Identifier: Apache-2.0
// The change that makes a snapshot the newest of a table (Iceberg REST specification,
// CommitTableRequest).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "iceberg/manifest.h"

namespace protium {

struct IcebergCommit {
  bool replaces = false;  // Whether all earlier rows go.
  int64_t snapshot = 0;
  std::string manifest_list;  // Its location.
  int64_t millis = 0;         // Since 1970.
  std::string note, value;    // What the summary says besides: whose commit it is.
  std::vector<IcebergFile> added, removed;
};

// The body of the request. The catalogue is to refuse it unless the table is still the one that was
// read, with the same newest snapshot and the same columns. A snapshot is never older than the one
// that it follows, whatever the clock of this machine says.
Json CommitRequest(const IcebergCommit& commit, const IcebergTable& table);

}  // namespace protium
