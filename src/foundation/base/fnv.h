// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace protium {

// FNV-1a of 64 bits: the same on every machine, which std::hash is not. Its high bits are weak;
// callers mix them.
inline uint64_t Fnv1a(std::string_view text, uint64_t seed = 0) {
  uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace protium
