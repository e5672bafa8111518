// SPDX-License-Identifier: Apache-2.0
// The text of a file as UTF-8, in pieces: decompressed (gzip and zstd, recognised by the first
// bytes) and decoded. Whoever reads text that is not mapped as it is reads it here.
#pragma once

#include <arrow/io/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "column/source.h"

namespace protium {

// One thread. Holds about a megabyte.
class TextSource {
 public:
  // A file that cannot be opened, or that is not text, is a fault of Exit::kInput. A byte order
  // mark of UTF-16 overrides `encoding`; marks are not part of the text.
  static Result<std::unique_ptr<TextSource>> Open(const std::string& path, Encoding encoding);
  ~TextSource();

  // Appends the next piece to `text`, in whole characters; false at the end, when nothing is
  // appended. Bytes that are not text in this encoding, and damaged archives, are faults with the
  // line.
  Result<bool> Append(std::string& text);

  // The bytes read so far and in all, as stored on disk.
  int64_t read_bytes() const;
  int64_t all_bytes() const { return all_bytes_; }

 private:
  explicit TextSource(std::string path) : path_(std::move(path)) {}
  Status Start(Encoding encoding);
  Result<bool> ReadPiece();
  Status Decode(bool last, std::string& text);
  Status DecodeUtf8(bool last, std::string& text);
  Status DecodeUtf16(bool last, std::string& text);
  Status NotText(const std::string& name, const std::string& text) const;

  std::string path_;
  Encoding encoding_ = Encoding::kUtf8;
  bool big_endian_ = false;
  bool begun_ = false;
  bool ended_ = false;
  std::string bytes_;  // Read but not decoded yet.
  int64_t lines_ = 0;  // Line ends in the text so far.
  int64_t all_bytes_ = 0;
  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::shared_ptr<arrow::io::InputStream> unpacked_;
};

}  // namespace protium
