// SPDX-License-Identifier: Apache-2.0
// For tests: the rows of a shard in one piece.
#pragma once

#include <string>

#include "rows/rows.h"

namespace protium {

// Scans a few rows at a time, so that it takes several blocks.
inline std::string ReadShard(const ShardedRows& rows, int32_t shard) {
  std::string bytes;
  const auto scan = rows.Scan(shard);
  while (true) {
    const auto block = scan->Next(7).ValueOrDie();
    if (block.empty()) return bytes;
    bytes.append(reinterpret_cast<const char*>(block.data()), block.size());
  }
}

}  // namespace protium
