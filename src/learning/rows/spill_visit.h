// SPDX-License-Identifier: Apache-2.0
// Visits rows on a disk, on which one read per row would be far too slow.
//
// 1. A visit's positions are cut into buckets that fit memory. One pass over the rows in file order
//    writes each, with its position, to its bucket; then each bucket is read as a whole. All of
//    that is sequential: rows are read twice and written once.
// 2. While a bucket is handed out, the next one is read in another thread; while rows are
//    distributed to buckets, one thread writes full buffers and one reads the next rows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "os/scratch_file.h"
#include "rows/row_store.h"

namespace protium {

struct SpillVisitSpec {
  int64_t width = 0;
  // For two buckets; they take at least one row each. A bucket's rows are written by m * m / 2n
  // bytes at a time, where m is this and n the bytes of all rows; small writes are slow.
  int64_t memory_bytes = 0;
  // Where buckets are stored. They take the rows, 4 bytes for each, and up to a page per bucket.
  std::filesystem::path disk;
};

// Reads `rows` to its end; they must be those of `order`, in file order.
Result<std::unique_ptr<RowVisit>> MakeSpillVisit(const SpillVisitSpec& spec, RowScan& rows,
                                                 const Permutation& order);

}  // namespace protium
