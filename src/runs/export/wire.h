// SPDX-License-Identifier: Apache-2.0
// Writes Protobuf's encoding without generated classes, for messages of other tools. Fields are
// written in the order in which they are added.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace protium {

class WireMessage {
 public:
  WireMessage& Varint(int field, uint64_t value);
  WireMessage& Double(int field, double value);
  WireMessage& Float(int field, float value);
  WireMessage& Bytes(int field, std::string_view value);
  WireMessage& Message(int field, const WireMessage& value) { return Bytes(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void Number(uint64_t value);

  std::string bytes_;
};

}  // namespace protium
