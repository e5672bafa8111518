// SPDX-License-Identifier: Apache-2.0
// Sharded rows in a folder, for trainings on this machine that use the same rows: one packs them,
// the others map them.
//
// 1. kept.json stores their layout and the identity of each shard; shard-000 and so on store the
//    rows as they lie in memory.
// 2. Whoever opens them gets the stored rows, or a fault: identities are computed again.
// 3. The kernel may drop mapped rows and read them again, so they count against no budget.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "rows/rows.h"

namespace protium {

// Writes the own shards of `rows` to `folder`, which must be the same for every rank; rank 0 writes
// kept.json. Existing files of these names are replaced. Not collective: the result is complete
// after this has succeeded on every rank.
Status KeepRows(const ShardedRows& rows, bool leads, const std::filesystem::path& folder);

// Opens shards first[rank] .. first[rank + 1] - 1 of the stored rows, however many ranks stored
// them. Rows of another layout or number of shards, and files that have changed, are faults.
Result<std::unique_ptr<ShardedRows>> OpenKeptRows(const RowSchema& schema,
                                                  const std::vector<int32_t>& first, int32_t rank,
                                                  const std::filesystem::path& folder);

}  // namespace protium
