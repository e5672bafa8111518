// SPDX-License-Identifier: Apache-2.0
// Finds where the shards begin among the rows of all ranks, without moving a row (docs/rows.md,
// "How ranks find the cuts").
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "collective/communicator.h"
#include "rows/row_store.h"

namespace protium {

// cuts[r][s]: how many of rank r's sorted rows come before shard s; shards + 1 entries per rank.
using Cuts = std::vector<std::vector<int64_t>>;

// Returns the position where shard `shard` begins among `rows` rows: floor(shard * rows / shards).
int64_t ShardBegin(int64_t rows, int32_t shards, int32_t shard);

// Collective. Finds where the shards begin in the rows that every rank has sorted. Equal rows on
// both sides of a cut are divided in the order of ranks. Every rank gets the cuts of all. Reads all
// rows once. Takes half a MiB while it runs, and for each cut 16 bytes for one distinct row in
// 65,536.
Result<Cuts> FindCuts(const RowStore& sorted, int32_t shards, Communicator& communicator);

}  // namespace protium
