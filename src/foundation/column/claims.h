// SPDX-License-Identifier: Apache-2.0
// Compares what rows from outside claim to be with the bytes that they came with. A few bytes of
// Arrow can name any number of rows: null columns, structs without fields and values of width 0
// occupy no memory, and every row of a dictionary, a view or a run can name the same long text.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <limits>

#include "base/status.h"

namespace protium {

// Cells that occupy no memory: this many are free, and 64 more are allowed for each byte of a
// batch. Wide tables with many empty columns stay far below, since a row of any other column takes
// bytes; as texts, which empty columns become, the free ones take 64 MiB.
inline constexpr int64_t kFreeCells = int64_t{16} << 20;
inline constexpr int64_t kCellsPerByte = 64;
// Bytes of the rows that are converted at once, with each row written out in full: 64 Ki rows of
// texts of 4 KiB are free, whatever names them.
inline constexpr int64_t kFreeBytes = int64_t{256} << 20;
inline constexpr int64_t kBytesPerByte = 64;

// Refuses (Exit::kInput) a batch that claims more than that, and names the column. Call it on valid
// batches before they are used; `at_once` is how many rows the caller converts at a time. Its time
// grows only with the rows of dictionaries, views and runs.
Status CheckClaims(const arrow::RecordBatch& batch,
                   int64_t at_once = std::numeric_limits<int64_t>::max());

// The bytes of memory that the batch's buffers span; overlapping parts count once.
int64_t HeldBytes(const arrow::RecordBatch& batch);

// How much memory may be used to unpack the buffers of a message or file of `bytes`: compression
// shrinks rows of one value a thousandfold, but not without limit.
int64_t MostUnpackedBytes(int64_t bytes);

}  // namespace protium
