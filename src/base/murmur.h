// SPDX-License-Identifier: Apache-2.0
// The steps of MurmurHash3 of 32 bits (MurmurHash3_x86_32, Austin Appleby, public domain). Spark
// has two hashes made of them, which differ in what they do with the last one to three bytes, so
// the steps are here and the hashes with their users. Indices in models are made of them: part of
// the format.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace protium {

constexpr uint32_t MurmurWord(uint32_t word) {
  return std::rotl(word * 0xcc9e2d51u, 15) * 0x1b873593u;
}

// The hash after another four bytes, as a little-endian word.
constexpr uint32_t MurmurMix(uint32_t hash, uint32_t word) {
  return std::rotl(hash ^ MurmurWord(word), 13) * 5 + 0xe6546b64u;
}

// The hash of `size` bytes from that after the last of them.
constexpr uint32_t MurmurEnd(uint32_t hash, size_t size) {
  hash ^= static_cast<uint32_t>(size);
  hash = (hash ^ (hash >> 16)) * 0x85ebca6bu;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
  return hash ^ (hash >> 16);
}

}  // namespace protium
