// SPDX-License-Identifier: Apache-2.0
// The files that a run reads, recorded as inputs.json in its folder. A resumed run compares them
// before anything starts: continuing on other data would silently mix two training sets. Outputs
// are checked against them as well (outputs.h).
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/status.h"
#include "protium/fields.h"

namespace protium {

// One file as it was when the run first read it.
struct InputFile {
  std::string path;
  int64_t bytes = 0;
  int64_t modified = 0;  // Nanoseconds since 1970.
  std::string sha256;    // Empty above 1 GiB: such a file is compared by size and time alone.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("path", path);
    visit("bytes", bytes);
    visit("modified", modified);
    visit("sha256", sha256);
  }
};

// All files in `folder`, and if `below` in all folders under it, whose names match `pattern`
// (fnmatch) are read as one table. A file written there later would become part of the input.
struct InputPattern {
  std::string folder;
  std::string pattern;
  bool below = false;
  auto operator<=>(const InputPattern&) const = default;
};

// Stored as a JSON list of InputFile, rewritten whole whenever files are added. One thread.
class InputRecord {
 public:
  // With `resume`, reads `file` and compares every entry with the disk: a file that is gone or has
  // other bytes is a fault of Exit::kInput that names it and what changed. A file with only another
  // modification time is hashed and, if its bytes are the same, accepted.
  static Result<InputRecord> Open(std::filesystem::path file, bool resume);
  // `sha256`: its hash, if that is known; empty: it is computed.
  Status Add(const std::filesystem::path& input, std::string sha256 = {});
  // Calls `add`, and writes what it adds to this record once, which costs two flushes of the disk.
  Status Together(const std::function<Status()>& add);
  // For RefuseInputs() alone; not stored. Add() adds the files that match at present.
  void AddPattern(InputPattern pattern) { patterns_.insert(std::move(pattern)); }
  const std::map<std::string, InputFile>& files() const { return files_; }
  const std::set<InputPattern>& patterns() const { return patterns_; }

 private:
  Status Write() const;
  explicit InputRecord(std::filesystem::path file) : file_(std::move(file)) {}
  std::filesystem::path file_;  // Empty: in memory only.
  std::map<std::string, InputFile> files_;
  std::set<InputPattern> patterns_;
};

}  // namespace protium
