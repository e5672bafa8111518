// SPDX-License-Identifier: Apache-2.0
// Parquet files that several readers share: they are dealt whole row groups in turn, over all files
// in order, so that together they read every row once.
#pragma once

#include <arrow/io/interfaces.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "column/stream.h"

namespace protium {

// Opens a file that is not one of this host.
using OpenFile =
    std::function<Result<std::shared_ptr<arrow::io::RandomAccessFile>>(const std::string& path)>;

struct ParquetPart {
  int32_t part = 0;      // This reader's number,
  int32_t parts = 1;     // of how many.
  bool threads = false;  // Decode columns in Arrow's threads.
  OpenFile open = {};    // Empty: they are files of this host.
};

struct ParquetRows {
  int64_t all_rows = 0;  // In all files, by their footers.
  int64_t own_rows = 0;  // In this reader's row groups.
  // Batches of the files' own columns. Fails if rows are missing or there are too many.
  BatchStreamPtr rows;
};

// Reads the footers now and the rows as they are requested. Faults (kInput) with the path: a file
// that is not Parquet, files that differ in their columns, and a page that does not match its
// checksum, if the writer gave it one.
Result<ParquetRows> ReadParquetRows(const std::vector<std::string>& paths, const ParquetPart& part);

}  // namespace protium
