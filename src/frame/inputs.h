// SPDX-License-Identifier: Apache-2.0
// Which files a run read, so that going on with other ones is noticed before anything starts.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/fields.h"
#include "base/status.h"

namespace protium {

struct InputFile {
  std::string path;
  int64_t bytes = 0;
  int64_t modified = 0;  // Nanoseconds since 1970.
  std::string sha256;    // Empty for files above 1 GiB: known by size and time alone.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("path", path);
    visit("bytes", bytes);
    visit("modified", modified);
    visit("sha256", sha256);
  }
};

// All files whose names are like `pattern` are read as one table: those in `folder`, and where
// `below` is set those in the folders below it.
struct InputPattern {
  std::string folder;
  std::string pattern;
  bool below = false;
  auto operator<=>(const InputPattern&) const = default;
};

// Kept as `file`, a list of InputFile; rewritten whole whenever a file is added.
class InputRecord {
 public:
  // With `resume`, reads `file` and compares every entry with what lies there now: a file that is
  // gone or has other bytes is a fault that names it and what changed.
  static Result<InputRecord> Open(std::filesystem::path file, bool resume);
  Status Add(const std::filesystem::path& input);
  // The files that are there are added as well.
  void AddPattern(InputPattern pattern) { patterns_.insert(std::move(pattern)); }
  const std::map<std::string, InputFile>& files() const { return files_; }
  const std::set<InputPattern>& patterns() const { return patterns_; }

 private:
  explicit InputRecord(std::filesystem::path file) : file_(std::move(file)) {}
  std::filesystem::path file_;  // Empty: kept in memory only.
  std::map<std::string, InputFile> files_;
  std::set<InputPattern> patterns_;
};

}  // namespace protium
