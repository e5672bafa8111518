// SPDX-License-Identifier: Apache-2.0
// The header-only form of xxHash: with the hash inlined, short rows cost no call.
#define XXH_INLINE_ALL
#include "rows/key.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>

namespace protium {

RowKey HashRow(const std::byte* row, int64_t width) {
  const XXH128_hash_t hash = XXH3_128bits(row, size_t(width));
  return {.high = hash.high64, .low = hash.low64};
}

std::strong_ordering CompareRows(const RowKey& a_key, const std::byte* a, const RowKey& b_key,
                                 const std::byte* b, int64_t width) {
  if (const auto order = a_key <=> b_key; order != 0) return order;
  // memcmp() compares bytes as unsigned, as the contract requires.
  return std::memcmp(a, b, size_t(width)) <=> 0;
}

void WriteKeys(const std::byte* rows, int64_t width, std::span<RowKey> out) {
  for (RowKey& key : out) {
    key = HashRow(rows, width);
    rows += width;
  }
}

void WriteHighKeys(const std::byte* rows, int64_t width, std::span<uint64_t> out) {
  for (uint64_t& high : out) {
    high = XXH3_128bits(rows, size_t(width)).high64;
    rows += width;
  }
}

std::string KeySumText(const ShardIdentity& identity) {
  return fmt::format("{:016x}{:016x}", identity.key_sum_high, identity.key_sum_low);
}

ShardIdentity& ShardIdentity::operator+=(const ShardIdentity& other) {
  rows += other.rows;
  key_sum_low += other.key_sum_low;
  key_sum_high += other.key_sum_high + (key_sum_low < other.key_sum_low ? 1 : 0);
  return *this;
}

ShardIdentity ComputeIdentity(std::span<const std::byte> rows, int64_t width) {
  ShardIdentity identity;
  for (size_t at = 0; at < rows.size(); at += size_t(width)) {
    AddKey(HashRow(rows.data() + at, width), identity);
  }
  return identity;
}

}  // namespace protium
