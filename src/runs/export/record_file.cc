// SPDX-License-Identifier: Apache-2.0
#include "export/record_file.h"

#include <array>

namespace protium {

namespace {

constexpr std::array<uint32_t, 256> CastagnoliTable() {
  std::array<uint32_t, 256> table = {};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? 0x82f63b78U ^ (crc >> 1) : crc >> 1;
    table[i] = crc;
  }
  return table;
}

// Masks a CRC that is part of data over which another CRC is computed: otherwise that one would
// detect nothing.
uint32_t Masked(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8U; }

void AppendLittleEndian(uint64_t value, int bytes, std::string& file) {
  for (int i = 0; i < bytes; ++i) file.push_back(char(value >> (8 * i)));
}

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = CastagnoliTable();
  uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ (crc >> 8);
  }
  return ~crc;
}

void AppendRecord(std::string_view bytes, std::string& file) {
  const size_t begin = file.size();
  AppendLittleEndian(bytes.size(), 8, file);
  AppendLittleEndian(Masked(Crc32c(std::string_view(file).substr(begin))), 4, file);
  file.append(bytes);
  AppendLittleEndian(Masked(Crc32c(bytes)), 4, file);
}

}  // namespace protium
