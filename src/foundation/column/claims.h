// SPDX-License-Identifier: Apache-2.0
// What rows from outside claim to be, held against the bytes that they came with. A few bytes of
// Arrow can name as many rows as they like: cells of null columns, of structs without fields and of
// values without width lie nowhere, and one long text can be named by every row of a dictionary, a
// view or a run.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <limits>

#include "base/status.h"

namespace protium {

// Cells that lie nowhere: this many are free, and for each byte that a batch holds there may be 64
// more. Wide tables with many empty columns stay far below, since a row of any other column holds
// bytes; and as texts, which empty columns become, the free ones take 64 MiB.
inline constexpr int64_t kFreeCells = int64_t{16} << 20;
inline constexpr int64_t kCellsPerByte = 64;
// Bytes of the rows that are taken at once, when each is written out: 64 Ki rows of texts of 4 KiB
// are free, whatever names them.
inline constexpr int64_t kFreeBytes = int64_t{256} << 20;
inline constexpr int64_t kBytesPerByte = 64;

// Refuses a batch that claims more than that with a fault of Exit::kInput that names the column.
// Call it on valid batches before anything is made of them; `at_once` is how many rows the caller
// converts at a time. Takes time by the rows of dictionaries, views and runs alone.
Status CheckClaims(const arrow::RecordBatch& batch,
                   int64_t at_once = std::numeric_limits<int64_t>::max());

// The bytes of memory that the batch's buffers span; where they overlap, they count once.
int64_t HeldBytes(const arrow::RecordBatch& batch);

// How much memory may be used to unpack the buffers of a message or file of `bytes`: compressed
// rows of one value shrink a thousandfold, but not without end.
int64_t MostUnpackedBytes(int64_t bytes);

}  // namespace protium
