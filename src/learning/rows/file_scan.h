// SPDX-License-Identifier: Apache-2.0
// Reads the rows of a file in order, ahead and in blocks.
#pragma once

#include <cstdint>
#include <memory>

#include "os/scratch_file.h"
#include "rows/row_store.h"

namespace protium {

struct FileRows {
  const ScratchFile& file;  // Row r begins at byte r * width.
  RowSpan range;
  int64_t width = 0;
  int64_t block_bytes = 0;  // Of one read, approximately; two are in memory at a time.
};

// Passes over the rows of the file, which must outlive the pass, and then over those of `rest`, if
// given.
std::unique_ptr<RowScan> ScanFile(const FileRows& rows, std::unique_ptr<RowScan> rest = nullptr);

}  // namespace protium
