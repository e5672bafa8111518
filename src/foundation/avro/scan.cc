// SPDX-License-Identifier: Apache-2.0
#include "avro/scan.h"

#include <bit>
#include <limits>

#include "base/depth.h"

namespace protium {
namespace {

constexpr int kDeepestValue = 64;
// Values may be of no bytes, and contain twice as many of the next.
constexpr size_t kMostOfNoBytes = 1'000'000;

// Numbers are little-endian, like every machine that we run on.
template <class Bits>
Bits BitsOf(std::string_view bytes) {
  Bits bits = 0;
  for (size_t i = sizeof(Bits); i-- > 0;) {
    bits = static_cast<Bits>(bits << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return bits;
}

}  // namespace

bool AvroScanner::Refuse(const char* error) {
  error_ = error;
  return false;
}

// Seven bits in each byte, the lowest first; of the tenth only one bit is left.
bool AvroScanner::Number(uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (at_ == bytes_.size()) return Refuse("it ends in the midst of a number");
    const auto byte = static_cast<unsigned char>(bytes_[at_++]);
    if (shift == 63 && byte > 1) return Refuse("a number is longer than 64 bits");
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return Refuse("a number is longer than 64 bits");
}

// The sign is the lowest bit.
bool AvroScanner::Long(int64_t& value) {
  uint64_t bits = 0;
  if (!Number(bits)) return false;
  value = static_cast<int64_t>(bits >> 1) ^ -static_cast<int64_t>(bits & 1);
  return true;
}

bool AvroScanner::Int(int64_t& value) {
  if (!Long(value)) return false;
  using Limits = std::numeric_limits<int32_t>;
  if (value >= Limits::min() && value <= Limits::max()) return true;
  return Refuse("an int is larger than 32 bits");
}

bool AvroScanner::Flag(bool& value) {
  if (AtEnd()) return Refuse("it ends before a boolean");
  const char byte = bytes_[at_];
  if (byte != 0 && byte != 1) return Refuse("a boolean is neither 0 nor 1");
  ++at_;
  value = byte == 1;
  return true;
}

bool AvroScanner::Fixed(int64_t size, std::string_view& value) {
  if (size < 0) return Refuse("a length is negative");
  if (static_cast<uint64_t>(size) > left()) return Refuse("a value is longer than what is left");
  value = bytes_.substr(at_, static_cast<size_t>(size));
  at_ += value.size();
  return true;
}

bool AvroScanner::Bytes(std::string_view& value) {
  int64_t size = 0;
  return Long(size) && Fixed(size, value);
}

bool AvroScanner::Float(double& value) {
  std::string_view bytes;
  if (!Fixed(4, bytes)) return false;
  value = static_cast<double>(std::bit_cast<float>(BitsOf<uint32_t>(bytes)));
  return true;
}

bool AvroScanner::Double(double& value) {
  std::string_view bytes;
  if (!Fixed(8, bytes)) return false;
  value = std::bit_cast<double>(BitsOf<uint64_t>(bytes));
  return true;
}

bool AvroScanner::Which(size_t of, size_t& value) {
  int64_t which = 0;
  if (!Int(which)) return false;
  if (which < 0 || static_cast<uint64_t>(which) >= of) {
    return Refuse("it names a branch of a union, or a symbol, that there is not");
  }
  value = static_cast<size_t>(which);
  return true;
}

// A negative count is followed by the bytes of the block.
bool AvroScanner::Block(int64_t& items) {
  if (!Long(items)) return false;
  if (items < 0) {
    int64_t bytes = 0;
    if (items == std::numeric_limits<int64_t>::min()) return Refuse("a block has too many items");
    items = -items;
    if (!Long(bytes)) return false;
    if (bytes < 0 || static_cast<uint64_t>(bytes) > left()) {
      return Refuse("a block is longer than what is left");
    }
  }
  if (static_cast<uint64_t>(items) <= left()) return true;
  return Refuse("a block has more items than bytes are left");
}

bool AvroScanner::SkipBlocks(const AvroSchema& schema, const AvroType& type) {
  int64_t items = 0;
  while (Block(items)) {
    if (items == 0) return true;
    for (; items > 0; --items) {
      std::string_view key;
      if (type.kind == AvroKind::kMap && !Bytes(key)) return false;
      if (!Skip(schema, type.of.front())) return false;
    }
  }
  return false;
}

bool AvroScanner::SkipNested(const AvroSchema& schema, const AvroType& type) {
  const Deeper deeper(depth_);
  if (depth_ > kDeepestValue) return Refuse("values are nested too deeply");
  if (type.kind == AvroKind::kUnion) {
    size_t which = 0;
    return Which(type.of.size(), which) && Skip(schema, type.of[which]);
  }
  if (type.kind != AvroKind::kRecord) return SkipBlocks(schema, type);
  for (const AvroField& field : type.fields) {
    if (!Skip(schema, field.type)) return false;
  }
  return true;
}

bool AvroScanner::Skip(const AvroSchema& schema, size_t type) {
  if (++skipped_ > bytes_.size() + kMostOfNoBytes) return Refuse("it has too many values");
  const AvroType& it = schema.types()[type];
  int64_t number = 0;
  double real = 0;
  bool flag = false;
  size_t which = 0;
  std::string_view bytes;
  switch (it.kind) {
    case AvroKind::kNull:
      return true;
    case AvroKind::kBoolean:
      return Flag(flag);
    case AvroKind::kInt:
      return Int(number);
    case AvroKind::kLong:
      return Long(number);
    case AvroKind::kFloat:
      return Float(real);
    case AvroKind::kDouble:
      return Double(real);
    case AvroKind::kBytes:
    case AvroKind::kString:
      return Bytes(bytes);
    case AvroKind::kFixed:
      return Fixed(it.bytes, bytes);
    case AvroKind::kEnum:
      return Which(it.symbols.size(), which);
    case AvroKind::kArray:
    case AvroKind::kMap:
    case AvroKind::kRecord:
    case AvroKind::kUnion:
      return SkipNested(schema, it);
  }
  return Refuse("it is of no type");
}

}  // namespace protium
