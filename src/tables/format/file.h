// SPDX-License-Identifier: Apache-2.0
// Files as inputs and outputs of a job.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// The state of an input that a run records, to notice that it changed.
struct FileFacts {
  std::string path;
  int64_t bytes = 0;
  int64_t changed_ns = 0;  // Since 1970.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("path", path);
    visit("bytes", bytes);
    visit("changed_ns", changed_ns);
  }
};
Result<FileFacts> ReadFileFacts(const std::string& path);

// A whole file, read-only, as memory. If another process shortens the file while it is mapped, this
// process ends with SIGBUS: inputs must not be written while a job reads them.
class MappedFile {
 public:
  static Result<std::unique_ptr<MappedFile>> Open(const std::string& path);
  ~MappedFile();
  std::string_view text() const { return {data_, size_}; }

 private:
  MappedFile(const char* data, size_t size) : data_(data), size_(size) {}
  const char* data_;
  size_t size_;
};

// Returns the SHA-256 of a file's content, as hex digits.
Result<std::string> FileSha256(const std::string& path);

}  // namespace protium
