// SPDX-License-Identifier: Apache-2.0
#include "weights/zip_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/crc32.h"
#include "base/fault.h"

// The format: PKWARE's APPNOTE.TXT 6.3.10, section 4.3. Numbers are little-endian.

namespace protium {
namespace {

constexpr uint64_t kEndBytes = 22, kLocatorBytes = 20, kEnd64Bytes = 56, kEntryBytes = 46;
constexpr uint64_t kHeaderBytes = 30;
constexpr uint64_t kMostComment = 65535;
constexpr uint64_t kMostEntries = 1'000'000;
constexpr uint16_t kEncrypted = 1;  // A bit of the flags.

// The caller has checked that the bytes exist.
template <class Number>
Number NumberAt(std::string_view bytes, uint64_t at) {
  uint64_t number = 0;
  for (size_t i = 0; i < sizeof(Number); ++i) {
    number |= uint64_t(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return Number(number);
}

bool Fits(uint64_t begin, uint64_t length, uint64_t end) {
  return begin <= end && length <= end - begin;
}

// Finds the record at the archive's end, which a comment may follow.
std::optional<uint64_t> FindEnd(std::string_view bytes) {
  if (bytes.size() < kEndBytes) return std::nullopt;
  const uint64_t last = bytes.size() - kEndBytes;
  const uint64_t first = last > kMostComment ? last - kMostComment : 0;
  for (uint64_t at = last + 1; at-- > first;) {
    if (bytes.substr(at, 4) == "PK\5\6") return at;
  }
  return std::nullopt;
}

// Sizes and offsets that do not fit 32 bits are in an extra field, in this order, and only those
// whose 32-bit field is all ones.
bool TakeWide(std::string_view extra, ZipFile::Entry& entry, uint64_t& stored) {
  while (extra.size() >= 4) {
    const auto kind = NumberAt<uint16_t>(extra, 0), length = NumberAt<uint16_t>(extra, 2);
    if (length > extra.size() - 4) return false;
    std::string_view field = extra.substr(4, length);
    extra.remove_prefix(4 + size_t(length));
    if (kind != 1) continue;
    for (uint64_t* const number : {&entry.bytes, &stored, &entry.header}) {
      if (*number != 0xffffffff) continue;
      if (field.size() < 8) return false;
      *number = NumberAt<uint64_t>(field, 0);
      field.remove_prefix(8);
    }
  }
  return true;
}

}  // namespace

Status ZipFile::Damaged(std::string why) const {
  return Fail({.exit = Exit::kInput,
               .what = "not a readable zip archive: " + where_,
               .where = where_,
               .why = std::move(why),
               .fix = "copy it again; it may have been cut off"});
}

Result<ZipFile> ZipFile::Parse(std::string_view bytes, std::string where) {
  ZipFile zip;
  zip.bytes_ = bytes;
  zip.where_ = std::move(where);
  const auto end = FindEnd(bytes);
  if (!end) return zip.Damaged("it does not end as an archive does");
  uint64_t count = NumberAt<uint16_t>(bytes, *end + 10);
  uint64_t length = NumberAt<uint32_t>(bytes, *end + 12);
  uint64_t begin = NumberAt<uint32_t>(bytes, *end + 16);
  if (count == 0xffff || length == 0xffffffff || begin == 0xffffffff) {
    if (*end < kLocatorBytes || bytes.substr(*end - kLocatorBytes, 4) != "PK\6\7") {
      return zip.Damaged("its 64-bit end is missing");
    }
    const auto wide = NumberAt<uint64_t>(bytes, *end - kLocatorBytes + 8);
    if (!Fits(wide, kEnd64Bytes, *end) || bytes.substr(wide, 4) != "PK\6\6") {
      return zip.Damaged("its 64-bit end is not where it should be");
    }
    count = NumberAt<uint64_t>(bytes, wide + 32);
    length = NumberAt<uint64_t>(bytes, wide + 40);
    begin = NumberAt<uint64_t>(bytes, wide + 48);
  }
  if (!Fits(begin, length, *end)) return zip.Damaged("its list of files lies outside of it");
  PT_TRY(zip.ReadList(count, begin, begin + length));
  return zip;
}

Status ZipFile::ReadList(uint64_t count, uint64_t begin, uint64_t end) {
  if (count > kMostEntries) return Damaged(fmt::format("it claims to hold {} files", count));
  for (uint64_t i = 0; i < count; ++i) {
    PT_LET(begin, ReadEntry(begin, end));
  }
  return Status::OK();
}

// Returns where the next one begins.
Result<uint64_t> ZipFile::ReadEntry(uint64_t at, uint64_t end) {
  if (!Fits(at, kEntryBytes, end) || bytes_.substr(at, 4) != "PK\1\2") {
    return Damaged("its list of files ends too early");
  }
  Entry entry{.flags = NumberAt<uint16_t>(bytes_, at + 8),
              .method = NumberAt<uint16_t>(bytes_, at + 10),
              .crc = NumberAt<uint32_t>(bytes_, at + 16),
              .bytes = NumberAt<uint32_t>(bytes_, at + 24),
              .header = NumberAt<uint32_t>(bytes_, at + 42)};
  uint64_t stored = NumberAt<uint32_t>(bytes_, at + 20);
  const auto name = NumberAt<uint16_t>(bytes_, at + 28),
             extra = NumberAt<uint16_t>(bytes_, at + 30);
  const auto comment = NumberAt<uint16_t>(bytes_, at + 32);
  const uint64_t next = at + kEntryBytes + name + extra + comment;
  if (next > end) return Damaged("its list of files ends too early");
  const std::string named(bytes_.substr(at + kEntryBytes, name));
  const std::string_view wide = bytes_.substr(at + kEntryBytes + name, extra);
  if (!TakeWide(wide, entry, stored) || (entry.method == 0 && stored != entry.bytes)) {
    return Damaged("the lengths of " + named + " contradict each other");
  }
  if (!entries_.emplace(named, entry).second) return Damaged("it holds " + named + " twice");
  return next;
}

Result<std::string_view> ZipFile::Read(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return Damaged("it holds no " + name);
  const Entry& entry = found->second;
  if (entry.method != 0 || (entry.flags & kEncrypted) != 0) {
    return Damaged(name + " in it is compressed or encrypted, and torch.save() stores as it is");
  }
  if (!Fits(entry.header, kHeaderBytes, bytes_.size()) ||
      bytes_.substr(entry.header, 4) != "PK\3\4") {
    return Damaged(name + " is not where the list of files says");
  }
  const uint64_t begin = entry.header + kHeaderBytes +
                         NumberAt<uint16_t>(bytes_, entry.header + 26) +
                         NumberAt<uint16_t>(bytes_, entry.header + 28);
  if (!Fits(begin, entry.bytes, bytes_.size())) return Damaged(name + " in it is cut off");
  const std::string_view content = bytes_.substr(begin, entry.bytes);
  if (Crc32(content) != entry.crc) return Damaged("the checksum of " + name + " in it differs");
  return content;
}

}  // namespace protium
