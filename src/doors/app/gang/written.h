// SPDX-License-Identifier: Apache-2.0
// The tables written by the programs of a gang, as they arrive: pieces of bytes by rank.
#pragma once

#include <arrow/record_batch.h>

#include <filesystem>
#include <set>

#include "base/status.h"

namespace protium {

// Assembles them as files of a folder, one for each rank that wrote one.
class WrittenTables {
 public:
  // Creates `folder`.
  static Result<WrittenTables> Make(std::filesystem::path folder);
  // Adds rows of ProgramColumns().
  Status Add(const arrow::RecordBatch& rows);
  // Names each file by its first bytes: a Parquet file, an Arrow file or stream, otherwise CSV.
  // Fails (kFailed) if no rank wrote anything, or if they wrote different formats.
  Status Finish();

 private:
  explicit WrittenTables(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path PartOf(int32_t rank) const;

  std::filesystem::path folder_;
  std::set<int32_t> ranks_;
};

}  // namespace protium
