// SPDX-License-Identifier: Apache-2.0
// Rows of a file as they lie, read ahead in blocks.
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
  int64_t block_bytes = 0;  // Of a read, about; two are in memory at a time.
};

// A pass over the rows of the file, which outlives it, and then over those of `rest`, if there is
// one.
std::unique_ptr<RowScan> ScanFile(const FileRows& rows, std::unique_ptr<RowScan> rest = nullptr);

}  // namespace protium
