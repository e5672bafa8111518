// SPDX-License-Identifier: Apache-2.0
// What orders rows: a hash of their bytes, and the bytes themselves if hashes are equal. Hashing
// makes shards random samples; since bytes decide ties, nothing depends on hashes being different.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace protium {

// XXH3-128 with seed 0. Compared as one number of 128 bits.
struct RowKey {
  uint64_t high = 0;
  uint64_t low = 0;
  auto operator<=>(const RowKey&) const = default;
};

RowKey HashRow(const std::byte* row, int64_t width);

// The order of rows: by key, then by bytes as unsigned numbers, from the first byte on.
std::strong_ordering CompareRows(const RowKey& a_key, const std::byte* a, const RowKey& b_key,
                                 const std::byte* b, int64_t width);

// The identity of a set of rows in any order: their count and the sum of their keys (mod 2^128).
struct ShardIdentity {
  int64_t rows = 0;
  uint64_t key_sum_low = 0;
  uint64_t key_sum_high = 0;
  bool operator==(const ShardIdentity&) const = default;
  ShardIdentity& operator+=(const ShardIdentity& other);
};

// The sum as 32 hexadecimal digits, as written in checkpoints and stored rows.
std::string KeySumText(const ShardIdentity& identity);

// Adds 128-bit numbers by halves: the lower sum wraps, and so carries, exactly when it is less than
// the number added.
inline void AddKey(const RowKey& key, ShardIdentity& identity) {
  identity.rows += 1;
  identity.key_sum_low += key.low;
  identity.key_sum_high += key.high + (identity.key_sum_low < key.low ? 1 : 0);
}

// Of rows that lie one after another. A run adds up the rows that it visits and compares.
ShardIdentity ComputeIdentity(std::span<const std::byte> rows, int64_t width);

// Writes the keys of out.size() rows that lie one after another, or their high halves.
void WriteKeys(const std::byte* rows, int64_t width, std::span<RowKey> out);
void WriteHighKeys(const std::byte* rows, int64_t width, std::span<uint64_t> out);

}  // namespace protium
