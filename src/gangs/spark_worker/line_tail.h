// SPDX-License-Identifier: Apache-2.0
// Reads a file of JSON lines that another process appends to, and sees whether that process lives.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// One thread. The file is opened anew for every look: that is what makes a network file system show
// what other hosts have written.
class LineTail {
 public:
  explicit LineTail(std::filesystem::path path) : path_(std::move(path)) {}

  // Whole lines since the last call, at most 4 MiB of them unless one is longer. A line that is no
  // JSON object is skipped: a process that was killed may leave one.
  Result<std::vector<Json>> Read();
  // Whether the writer's lock (os/file_lock.h) was seen before and was gone when Read() was last
  // called: the process has ended, and had written everything by then. Always false where the file
  // system keeps no locks between its hosts.
  bool released() const { return released_; }

 private:
  const std::filesystem::path path_;
  int64_t read_ = 0;  // Bytes up to the end of the last whole line.
  bool held_ = false;
  bool released_ = false;
};

}  // namespace protium
