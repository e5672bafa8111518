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
Result<FileFacts> ReadFileFacts(const std::string& path);

// A whole file, read-only, as memory. A file that another process makes shorter while it is mapped
// ends this one with SIGBUS: inputs are not to be written while a job reads them.
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

}  // namespace protium
