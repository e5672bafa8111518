// SPDX-License-Identifier: Apache-2.0
#include "onnx_runtime/wire.h"

#include <bit>
#include <utility>

#include "base/fault.h"

namespace protium {
namespace {

enum class WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
constexpr uint64_t kGreatestNumber = (uint64_t{1} << 29) - 1;  // Of a field.

Status Damaged(std::string why) {
  return Fail({.exit = Exit::kInput, .what = "the file is damaged", .why = std::move(why)});
}

void AppendKey(uint32_t number, WireType type, std::string& message) {
  AppendPacked(uint64_t(number) << 3 | uint64_t(type), message);
}

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | uint8_t(bytes[i - 1]);
  return value;
}

}  // namespace

Result<uint64_t> WireReader::NextNumber() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (left_.empty()) return Damaged("it ends within a number");
    const auto byte = uint8_t(left_.front());
    left_.remove_prefix(1);
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return Damaged("a number has more than 64 bits");
}

Result<std::string_view> WireReader::Take(uint64_t bytes) {
  if (bytes > left_.size()) return Damaged("a field is longer than what holds it");
  const std::string_view taken = left_.substr(0, bytes);
  left_.remove_prefix(bytes);
  return taken;
}

Result<WireField> WireReader::Next() {
  PT_LET(const uint64_t key, NextNumber());
  if (key >> 3 == 0 || key >> 3 > kGreatestNumber) return Damaged("a field has no number");
  WireField field{.number = uint32_t(key >> 3)};
  switch (WireType(key & 7)) {
    case WireType::kVarint: {
      PT_LET(field.value, NextNumber());
      return field;
    }
    case WireType::kBytes: {
      PT_LET(const uint64_t length, NextNumber());
      PT_LET(field.bytes, Take(length));
      field.is_bytes = true;
      return field;
    }
    case WireType::kFixed32:
    case WireType::kFixed64: {
      PT_LET(const std::string_view bytes, Take((key & 7) == 1 ? 8 : 4));
      field.value = LittleEndian(bytes);
      return field;
    }
  }
  return Damaged("a field is of a kind that ONNX does not use");
}

void AppendPacked(uint64_t value, std::string& message) {
  for (; value >= 0x80; value >>= 7) message += char(0x80 | (value & 0x7f));
  message += char(value);
}

void AppendBytes(uint32_t number, std::string_view bytes, std::string& message) {
  AppendKey(number, WireType::kBytes, message);
  AppendPacked(bytes.size(), message);
  message += bytes;
}

void AppendNumber(uint32_t number, uint64_t value, std::string& message) {
  AppendKey(number, WireType::kVarint, message);
  AppendPacked(value, message);
}

void AppendFloat(uint32_t number, float value, std::string& message) {
  AppendKey(number, WireType::kFixed32, message);
  const auto bits = std::bit_cast<uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) message += char(bits >> shift);
}

}  // namespace protium
