// SPDX-License-Identifier: Apache-2.0
// Rows group by group: streams in which rows that agree in some columns follow each other.
#pragma once

#include <arrow/record_batch.h>

#include <string>
#include <vector>

#include "protium/stream.h"

namespace protium {

// Refuses (kUsage) keys that are not columns of `schema` or of a type whose values cannot be
// compared: lists.
Status CheckGroupKeys(const arrow::Schema& schema, const std::vector<std::string>& keys);

// The positions in `batch` at which a group begins, 0 among them if it has rows. Two NULLs are one
// value, and so are two NaNs, and 0.0 and -0.0.
Result<std::vector<int64_t>> GroupStarts(const arrow::RecordBatch& batch,
                                         const std::vector<std::string>& keys);

// The same rows in batches that no group is divided between; a batch may hold many groups. The
// groups of `input` follow each other. A group is held in memory whole.
BatchStreamPtr WholeGroups(BatchStreamPtr input, std::vector<std::string> keys);
// The same, of a stream that outlives it.
BatchStreamPtr WholeGroups(BatchStream& input, std::vector<std::string> keys);

}  // namespace protium
