// SPDX-License-Identifier: Apache-2.0
// Events that wait between two batches: in an Arrow file that outlives the process. And where their
// time is.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/status.h"

namespace protium {

// Returns the `expected` rows of the file, which is not looked at if there are none. Fails (kInput)
// if it has others.
Result<std::shared_ptr<arrow::RecordBatch>> LoadWaiting(
    const std::filesystem::path& file, const std::shared_ptr<arrow::Schema>& schema,
    int64_t expected);
// Writes the rows, which outlive a loss of power when it returns; nothing if there are none.
Status SaveWaiting(const std::filesystem::path& file, const arrow::RecordBatch& rows);

// Returns which column is `name`. Refuses (kUsage) one that is missing or no timestamp. `where` is
// the key in the job that names it; `columns` the one that gives types.
Result<int> TimeColumn(const arrow::Schema& events, const std::string& name,
                       const std::string& where, const std::string& columns);

}  // namespace protium
