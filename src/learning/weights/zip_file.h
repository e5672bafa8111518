// SPDX-License-Identifier: Apache-2.0
// The files inside a zip archive, as far as torch.save() uses the format: stored without
// compression, in one volume, with or without the 64-bit fields.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"

namespace protium {

class ZipFile {
 public:
  // Reads the list of files of the archive in `bytes`, which must outlive it. Every offset and
  // length is checked against the bytes before it is used; damage is a fault of Exit::kInput that
  // names `where`.
  static Result<ZipFile> Parse(std::string_view bytes, std::string where);

  bool Has(const std::string& name) const { return entries_.contains(name); }
  // Returns the content of a file, a part of `bytes`. A file that is missing, compressed, encrypted
  // or whose checksum differs is a fault of Exit::kInput.
  Result<std::string_view> Read(const std::string& name) const;

  // Size of the whole archive, in bytes.
  int64_t size() const { return static_cast<int64_t>(bytes_.size()); }

  struct Entry {
    uint16_t flags = 0;
    uint16_t method = 0;  // 0: stored.
    uint32_t crc = 0;
    uint64_t bytes = 0;
    uint64_t header = 0;  // Where its own header begins.
  };
  const std::map<std::string, Entry>& entries() const { return entries_; }

 private:
  Status ReadList(uint64_t count, uint64_t begin, uint64_t end);
  Result<uint64_t> ReadEntry(uint64_t at, uint64_t end);
  Status Damaged(std::string why) const;

  std::string_view bytes_;
  std::string where_;
  std::map<std::string, Entry> entries_;
};

}  // namespace protium
