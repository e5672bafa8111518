// SPDX-License-Identifier: Apache-2.0
// TensorFlow's record files: each record is its length (8 bytes, little-endian), the masked CRC of
// the length, its bytes, and the masked CRC of the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace protium {

// CRC-32 with Castagnoli's polynomial.
uint32_t Crc32c(std::string_view bytes);

// Appends a record to `file`.
void AppendRecord(std::string_view bytes, std::string& file);

}  // namespace protium
