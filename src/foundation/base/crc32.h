// SPDX-License-Identifier: Apache-2.0
// CRC-32 with zlib's polynomial (java.util.zip.CRC32), as Spark's SQL and PNG files use it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace protium {

// The effect of eight bits, for each byte; the polynomial's bits are reversed because the bits of
// each byte come lowest first.
constexpr std::array<uint32_t, 256> CrcTable() {
  std::array<uint32_t, 256> table = {};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? 0xedb88320U ^ (crc >> 1) : crc >> 1;
    table[i] = crc;
  }
  return table;
}

constexpr uint32_t Crc32(std::string_view bytes) {
  constexpr std::array<uint32_t, 256> kTable = CrcTable();
  uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
  }
  return crc ^ 0xffffffff;
}

}  // namespace protium
