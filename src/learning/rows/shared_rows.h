// SPDX-License-Identifier: Apache-2.0
// Rows that all ranks of a host share, so that a shard changes its owner without a copy.
//
// 1. A rank that loaded rows puts those of its own shards into a memory file, once. If they are on
//    the disk, it hands out that file unchanged.
// 2. Whoever has all these files can own any shards; nobody writes to them any more. Memory is
//    mapped; a file on the disk is read in passes that only go forward (spill_visit.h).
// 3. Memory and disk space are in use as long as somebody holds a file, even if the rank has ended.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "os/fd.h"
#include "rows/read_store.h"
#include "rows/rows.h"

namespace protium {

// The rows of some shards.
struct SharedFile {
  UniqueFd file;
  bool on_disk = false;  // Otherwise in memory.
  ShardedRows::Owned shards;
};

// Moves the rows of the own shards; if they are in memory, pages of `own` are returned as they are
// read. kNoRoom if the system has no memory for them.
Result<SharedFile> ShareRows(ShardedRows& own);

// Opens all rows of a training set; `files` hold all shards, in order. Owns none of them yet.
// `pass` is for each shard of a file on the disk. A file whose size does not fit its rows is a bug
// of ours.
Result<std::unique_ptr<ShardedRows>> OpenSharedRows(const RowSchema& schema,
                                                    std::vector<ShardIdentity> identity,
                                                    std::vector<SharedFile> files,
                                                    const FilePass& pass);

}  // namespace protium
