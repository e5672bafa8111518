// SPDX-License-Identifier: Apache-2.0
// Reads a file of JSON lines that another process appends to, and notices the end of that process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// One thread. Opens the file again for every read: only then does a network file system show what
// other hosts have written.
class LineTail {
 public:
  explicit LineTail(std::filesystem::path path) : path_(std::move(path)) {}

  // Returns the whole lines since the last call, at most 4 MiB unless one is longer. Skips lines
  // that are not JSON objects: a process that was killed may leave one.
  Result<std::vector<Json>> Read();
  // Whether the writer's lock (os/file_lock.h) was seen before and was gone at the last Read(): the
  // process has ended, and had written everything by then. Always false if the file system does not
  // share locks between hosts.
  bool released() const { return released_; }

 private:
  const std::filesystem::path path_;
  int64_t read_ = 0;  // Bytes up to the end of the last whole line.
  bool held_ = false;
  bool released_ = false;
};

}  // namespace protium
