// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "rows/rows.h"

namespace protium {

std::vector<int32_t> ShardOwners(int32_t shards, int32_t world) {
  std::vector<int32_t> first(size_t(world) + 1);
  for (int32_t r = 0; r <= world; ++r) first[size_t(r)] = int32_t(int64_t(r) * shards / world);
  return first;
}

int64_t StepsPerEpoch(int64_t total_rows, int64_t batch_size) {
  return total_rows / batch_size + (total_rows % batch_size != 0 ? 1 : 0);
}

Positions StepPositions(int64_t shard_rows, int64_t total_rows, int64_t batch_size, int64_t step) {
  if (total_rows == 0) return {};
  const auto edge = [&](int64_t k) {
    const __int128 visited = std::min<__int128>(__int128(k) * batch_size, total_rows);
    return int64_t(shard_rows * visited / total_rows);
  };
  return {.begin = edge(step), .end = edge(step + 1)};
}

void GatherRows(std::span<const std::byte> shard, int64_t width, const Permutation& order,
                Positions positions, std::byte* out) {
  // Rows are asked for this many visits ahead, so that memory answers them side by side.
  constexpr int64_t kAhead = 24;
  constexpr int64_t kLine = 64;
  std::array<const std::byte*, kAhead> ring;
  const auto ask = [&](int64_t position) {
    const std::byte* row = shard.data() + order.At(position) * width;
    for (int64_t at = 0; at < width; at += kLine) __builtin_prefetch(row + at);
    __builtin_prefetch(row + width - 1);
    ring[size_t(position % kAhead)] = row;
  };
  const int64_t first = std::min(positions.begin + kAhead, positions.end);
  for (int64_t p = positions.begin; p < first; ++p) ask(p);
  for (int64_t p = positions.begin; p < positions.end; ++p, out += width) {
    std::memcpy(out, ring[size_t(p % kAhead)], size_t(width));
    if (p + kAhead < positions.end) ask(p + kAhead);
  }
}

}  // namespace protium
