// SPDX-License-Identifier: Apache-2.0
#include "iceberg/avro.h"

#include "base/digest.h"

namespace protium {
namespace {

constexpr size_t kMarkBytes = 16;

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
