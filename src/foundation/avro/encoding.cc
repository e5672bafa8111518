// SPDX-License-Identifier: Apache-2.0
#include "avro/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/depth.h"
#include "base/digest.h"
#include "base/fault.h"
#include "base/utf8.h"

namespace protium {
namespace {

constexpr size_t kMarkBytes = 16;

template <class Bits>
void PutBits(std::string& to, Bits bits) {
  for (size_t i = 0; i < sizeof(Bits); ++i) to += static_cast<char>(bits >> (8 * i));
}

Status NoDefault(const Json& value, const std::string& type) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("the default {} is no {}", Dump(value).substr(0, 100), type)});
}

// Bytes stand in JSON as characters of those numbers.
bool BytesOf(const Json& value, std::string& bytes) {
  if (!value.is_string()) return false;
  for (const char32_t point : ToCodePoints(value.get_ref<const std::string&>())) {
    if (point > 0xff) return false;
    bytes += static_cast<char>(point);
  }
  return true;
}

bool PutWhole(std::string& to, const Json& value, AvroKind kind) {
  if (!value.is_number_integer()) return false;
  const auto number = value.get<int64_t>();
  const bool large = value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX;
  if (large || (kind == AvroKind::kInt && number != static_cast<int32_t>(number))) return false;
  PutAvroLong(to, number);
  return true;
}

bool PutOf(std::string& to, const Json& value, const AvroType& type) {
  std::string bytes;
  switch (type.kind) {
    case AvroKind::kNull:
      return value.is_null();
    case AvroKind::kBoolean:
      if (value.is_boolean()) PutAvroFlag(to, value.get<bool>());
      return value.is_boolean();
    case AvroKind::kInt:
    case AvroKind::kLong:
      return PutWhole(to, value, type.kind);
    case AvroKind::kFloat:
      if (value.is_number()) PutAvroFloat(to, value.get<double>());
      return value.is_number();
    case AvroKind::kDouble:
      if (value.is_number()) PutAvroDouble(to, value.get<double>());
      return value.is_number();
    case AvroKind::kString:
      if (value.is_string()) PutAvroBytes(to, value.get_ref<const std::string&>());
      return value.is_string();
    case AvroKind::kBytes:
      if (!BytesOf(value, bytes)) return false;
      PutAvroBytes(to, bytes);
      return true;
    case AvroKind::kFixed:
      if (!BytesOf(value, bytes) || int64_t(bytes.size()) != type.bytes) return false;
      to += bytes;
      return true;
    case AvroKind::kEnum: {
      const std::string symbol = value.is_string() ? value.get<std::string>() : "";
      const auto at = std::ranges::find(type.symbols, symbol);
      if (!value.is_string() || at == type.symbols.end()) return false;
      PutAvroLong(to, at - type.symbols.begin());
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

// Numbers near 0, of either sign, are short: the sign is the lowest bit, and seven bits go into
// each byte.
void PutAvroLong(std::string& to, int64_t value) {
  uint64_t rest = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
  for (; rest >= 0x80; rest >>= 7) to += static_cast<char>((rest & 0x7f) | 0x80);
  to += static_cast<char>(rest);
}

void PutAvroBytes(std::string& to, std::string_view bytes) {
  PutAvroLong(to, static_cast<int64_t>(bytes.size()));
  to += bytes;
}

void PutAvroFlag(std::string& to, bool value) { to += value ? '\1' : '\0'; }

void PutAvroNull(std::string& to) { PutAvroLong(to, 0); }
void PutAvroSome(std::string& to) { PutAvroLong(to, 1); }

void PutAvroFloat(std::string& to, double value) {
  PutBits(to, std::bit_cast<uint32_t>(static_cast<float>(value)));
}
void PutAvroDouble(std::string& to, double value) { PutBits(to, std::bit_cast<uint64_t>(value)); }

Status PutAvroDefault(std::string& to, const Json& value, const AvroSchema& schema, size_t type) {
  const AvroType& it = schema.types()[type];
  if (it.kind == AvroKind::kUnion) {
    for (size_t i = 0; i < it.of.size(); ++i) {
      std::string branch;
      PutAvroLong(branch, int64_t(i));
      if (!PutAvroDefault(branch, value, schema, it.of[i]).ok()) continue;
      to += branch;
      return Status::OK();
    }
  }
  if (it.kind == AvroKind::kArray && value.is_array()) {
    if (!value.empty()) PutAvroLong(to, int64_t(value.size()));
    for (const Json& each : value) PT_TRY(PutAvroDefault(to, each, schema, it.of.front()));
    PutAvroLong(to, 0);
    return Status::OK();
  }
  return PutOf(to, value, it) ? Status::OK() : NoDefault(value, schema.Describe(type));
}

// The mark between blocks must not occur by chance; it is the beginning of a digest, so that the
// same rows are the same file.
std::string AvroFile(const Json& schema,
                     const std::vector<std::pair<std::string, std::string>>& notes, int64_t count,
                     std::string_view records) {
  std::string file = "Obj\x01";
  PutAvroLong(file, static_cast<int64_t>(notes.size()) + 2);
  PutAvroBytes(file, "avro.schema");
  PutAvroBytes(file, Dump(schema));
  PutAvroBytes(file, "avro.codec");
  PutAvroBytes(file, "null");
  for (const auto& [key, value] : notes) {
    PutAvroBytes(file, key);
    PutAvroBytes(file, value);
  }
  PutAvroLong(file, 0);
  const std::string mark = Sha256Hex(file + std::string(records)).substr(0, kMarkBytes);
  file += mark;
  if (count == 0) return file;
  PutAvroLong(file, count);
  PutAvroBytes(file, records);
  return file + mark;
}

}  // namespace protium
