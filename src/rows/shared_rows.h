// SPDX-License-Identifier: Apache-2.0
// Rows that all ranks of a host share, so that a shard changes hands without a copy.
//
// 1. A rank that loaded rows puts those of its own shards into a file of memory, once.
// 2. Whoever has all these files maps them and can own any shards; nobody writes to them any more.
// 3. The memory lives as long as somebody holds or maps its file, not as long as the rank.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "os/fd.h"
#include "rows/rows.h"

namespace protium {

// Moves the rows of the own shards; pages of `own` are given back as they are read. kNoRoom when
// the system has no memory for them.
Result<UniqueFd> ShareRows(ShardedRows& own);

// The rows of some shards, as ShareRows() made them.
struct SharedFile {
  UniqueFd memory;
  ShardedRows::Owned shards;
};

// All rows of a training set; `files` hold all shards, in order. Owns none of them yet. A file of
// another size than its rows is our own bug.
Result<std::unique_ptr<ShardedRows>> MapRows(const RowSchema& schema,
                                             std::vector<ShardIdentity> identity,
                                             std::vector<SharedFile> files);

}  // namespace protium
