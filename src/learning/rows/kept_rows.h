// SPDX-License-Identifier: Apache-2.0
// Sharded rows in a folder, for trainings on this machine that have the same: one packs them, the
// others map them.
//
// 1. kept.json has their layout and the identity of each shard; shard-000 and so on have the rows
//    as they lie in memory.
// 2. Whoever opens them gets the rows that were kept, or a fault: identities are computed anew.
// 3. Mapped rows are the kernel's to drop and to read again, so they count against no budget.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "rows/rows.h"

namespace protium {

// Writes the own shards of `rows` to `folder`, which every rank names alike; rank 0 writes
// kept.json. Whatever is there under these names is replaced. Not collective: what is written is
// whole once this has succeeded on every rank.
Status KeepRows(const ShardedRows& rows, bool leads, const std::filesystem::path& folder);

// The shards first[rank] .. first[rank + 1] - 1 of the rows that were kept there, whatever the
// number of ranks was. Rows of another layout or number of shards, and files that have changed, are
// faults.
Result<std::unique_ptr<ShardedRows>> OpenKeptRows(const RowSchema& schema,
                                                  const std::vector<int32_t>& first, int32_t rank,
                                                  const std::filesystem::path& folder);

}  // namespace protium
