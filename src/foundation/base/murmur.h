// SPDX-License-Identifier: Apache-2.0
// The steps of 32-bit MurmurHash3 (MurmurHash3_x86_32, Austin Appleby, public domain), and the hash
// of texts that Spark's SQL builds from them. Spark has another variant, which treats the last one
// to three bytes differently and is in stages/hashing_tf.cc, where it is used. Indices in models
// come from these hashes, so they are part of the format.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace protium {

constexpr uint32_t MurmurWord(uint32_t word) {
  return std::rotl(word * 0xcc9e2d51u, 15) * 0x1b873593u;
}

// The hash after another four bytes, as a little-endian word.
constexpr uint32_t MurmurMix(uint32_t hash, uint32_t word) {
  return std::rotl(hash ^ MurmurWord(word), 13) * 5 + 0xe6546b64u;
}

// Finishes the hash of `size` bytes after the last of them was mixed in.
constexpr uint32_t MurmurEnd(uint32_t hash, size_t size) {
  hash ^= static_cast<uint32_t>(size);
  hash = (hash ^ (hash >> 16)) * 0x85ebca6bu;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
  return hash ^ (hash >> 16);
}

// hash(text) of Spark's SQL (Murmur3_x86_32.hashUnsafeBytes), whose seed is 42: each of the one to
// three bytes after the last whole word is mixed in like a word of its own, sign-extended, while
// Appleby's MurmurHash3 mixes them in together.
constexpr int32_t SparkHash(std::string_view text, int32_t seed = 42) {
  auto hash = static_cast<uint32_t>(seed);
  const size_t whole = text.size() & ~size_t{3};
  for (size_t i = 0; i < whole; i += 4) {
    uint32_t word = 0;
    for (size_t byte = 4; byte-- > 0;)
      word = word << 8 | static_cast<unsigned char>(text[i + byte]);
    hash = MurmurMix(hash, word);
  }
  for (size_t i = whole; i < text.size(); ++i) {
    const auto extended = static_cast<int32_t>(static_cast<signed char>(text[i]));
    hash = MurmurMix(hash, static_cast<uint32_t>(extended));
  }
  return static_cast<int32_t>(MurmurEnd(hash, text.size()));
}

}  // namespace protium
