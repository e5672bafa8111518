// SPDX-License-Identifier: Apache-2.0
// Messages of Protocol Buffers. They are read field by field, from bytes of strangers: nothing is
// copied, no length is believed that reaches beyond the message. The wire format is that of
// https://protobuf.dev/programming-guides/encoding/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace protium {

struct WireField {
  uint32_t number = 0;
  bool is_bytes = false;   // Text, bytes, a message or packed numbers; otherwise a number.
  std::string_view bytes;  // Valid as long as the message.
  uint64_t value = 0;
};

class WireReader {
 public:
  explicit WireReader(std::string_view message) : left_(message) {}

  bool AtEnd() const { return left_.empty(); }
  // Fails with Exit::kInput for bytes that are no field.
  Result<WireField> Next();
  // A number as it is packed: without a field's number before it.
  Result<uint64_t> NextNumber();

 private:
  Result<std::string_view> Take(uint64_t bytes);

  std::string_view left_;
};

// These append fields to the bytes of a message.
void AppendBytes(uint32_t number, std::string_view bytes, std::string& message);
void AppendNumber(uint32_t number, uint64_t value, std::string& message);
void AppendFloat(uint32_t number, float value, std::string& message);
// Appends a number as it is packed: without a field's number before it.
void AppendPacked(uint64_t value, std::string& message);

}  // namespace protium
