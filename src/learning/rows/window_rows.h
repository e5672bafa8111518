// SPDX-License-Identifier: Apache-2.0
// Rows that all ranks of a gang of fixed size read in each other's windows (collective), so that
// each can compute any shard's part of a step. An elastic gang, whose ranks come and go, shares
// files instead: shared_rows.h.
#pragma once

#include <memory>
#include <vector>

#include "collective/communicator.h"
#include "rows/rows.h"

namespace protium {

// Collective. Moves the rows of the own shards, which are in memory, to a window; pages of `own`
// are returned as they are read. The result holds the shards of all ranks and owns those of `own`.
// `first` is that of ShardRows(). Refuses rows on the disk, on all ranks alike, and ranks on
// several machines.
Result<std::unique_ptr<ShardedRows>> MoveToWindows(std::unique_ptr<ShardedRows> own,
                                                   const std::vector<int32_t>& first,
                                                   Communicator& communicator);

}  // namespace protium
