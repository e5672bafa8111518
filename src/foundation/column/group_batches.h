// SPDX-License-Identifier: Apache-2.0
// Reads rows group by group, from streams in which rows that agree in some columns follow each
// other.
#pragma once

#include <arrow/record_batch.h>

#include <string>
#include <vector>

#include "protium/stream.h"

namespace protium {

// Refuses (kUsage) keys that are not columns of `schema`, or whose values cannot be compared
// (lists).
Status CheckGroupKeys(const arrow::Schema& schema, const std::vector<std::string>& keys);

// The positions in `batch` at which a group begins; includes 0 if the batch has rows. All NULLs are
// equal, and so are all NaNs, and 0.0 and -0.0.
Result<std::vector<int64_t>> GroupStarts(const arrow::RecordBatch& batch,
                                         const std::vector<std::string>& keys);

// Returns the same rows in batches such that no group is split between two; a batch may hold many
// groups. The rows of a group must be adjacent in `input`. A whole group is held in memory.
BatchStreamPtr WholeGroups(BatchStreamPtr input, std::vector<std::string> keys);
// The same for a stream that outlives the result.
BatchStreamPtr WholeGroups(BatchStream& input, std::vector<std::string> keys);

}  // namespace protium
