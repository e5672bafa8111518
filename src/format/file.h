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

// What a run remembers of an input, to notice that it changed.
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
Result<FileFacts> FactsOf(const std::string& path);

// A whole file, read-only, as memory.
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

// SHA-256 of a file's content, as hex digits.
Result<std::string> FileSha256(const std::string& path);

// The fault of a call on `path` that failed with `error` (an errno).
Status FileFault(const std::string& path, std::string_view doing, int error);

}  // namespace protium
