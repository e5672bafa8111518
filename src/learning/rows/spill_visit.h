// SPDX-License-Identifier: Apache-2.0
// Visits rows that lie on a disk, which would answer a read for each of them far too slowly.
//
// 1. A visit's positions are cut into buckets that fit memory. One pass over the rows as they lie
//    writes each, with its position, to its bucket; then bucket after bucket is
//    read as a whole. All of that is sequential: rows are read twice and
//    written once.
// 2. While a bucket is handed out, the next one is read in a thread of its own;
// while rows are put
//    to their buckets, another thread writes what is full and one reads the
//    rows that come.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "os/scratch_file.h"
#include "rows/row_store.h"

namespace protium {

struct SpillVisitSpec {
  int64_t width = 0;
  // For two buckets; one row each they have in any case. A bucket's rows are written by m * m / 2n
  // bytes at a time, m being this and n the bytes of all rows: what is small is slow.
  int64_t memory_bytes = 0;
  // Where buckets go. They take the rows and 4 bytes for each, and up to a page a bucket.
  std::filesystem::path disk;
};

// Reads `rows` to its end: those of `order`, as they lie.
Result<std::unique_ptr<RowVisit>> MakeSpillVisit(const SpillVisitSpec& spec, RowScan& rows,
                                                 const Permutation& order);

}  // namespace protium
