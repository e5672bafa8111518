// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "rows/permutation.h"

namespace protium {

std::vector<int32_t> ShardOwners(int32_t shards, int32_t world, int32_t servers) {
  std::vector<int32_t> first(size_t(world) + 1, shards);
  const int32_t workers = world - servers;
  for (int32_t r = 0; r < workers; ++r) first[size_t(r)] = int32_t(int64_t(r) * shards / workers);
  return first;
}

int64_t StepsPerEpoch(int64_t total_rows, int64_t batch_size) {
  return total_rows / batch_size + (total_rows % batch_size != 0 ? 1 : 0);
}

Positions StepPositions(int64_t shard_rows, int64_t total_rows, int64_t batch_size, int64_t step) {
  if (total_rows == 0) return {};
  const auto edge = [&](int64_t k) {
    // 128 bits: rows times rows may exceed 2^63.
    const __int128 visited = std::min<__int128>(__int128(k) * batch_size, total_rows);
    return int64_t(shard_rows * visited / total_rows);
  };
  return {.begin = edge(step), .end = edge(step + 1)};
}

}  // namespace protium
