// SPDX-License-Identifier: Apache-2.0
#include "export/wire.h"

#include <cstring>

namespace protium {

namespace {

// Kinds of values, the lowest three bits of a tag.
enum WireKind : uint64_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

uint64_t Tag(int field, WireKind kind) { return uint64_t(field) << 3 | kind; }

}  // namespace

// Seven bits per byte, the lowest first; the highest bit says that more follow.
void WireMessage::Number(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(char(0x80 | (value & 0x7f)));
  bytes_.push_back(char(value));
}

WireMessage& WireMessage::Varint(int field, uint64_t value) {
  Number(Tag(field, kVarint));
  Number(value);
  return *this;
}

// Little-endian, like this machine.
WireMessage& WireMessage::Double(int field, double value) {
  Number(Tag(field, kFixed64));
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  return *this;
}

WireMessage& WireMessage::Float(int field, float value) {
  Number(Tag(field, kFixed32));
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  return *this;
}

WireMessage& WireMessage::Bytes(int field, std::string_view value) {
  Number(Tag(field, kLength));
  Number(value.size());
  bytes_.append(value);
  return *this;
}

}  // namespace protium
