// SPDX-License-Identifier: Apache-2.0
// What a run found in the sources that are no files, recorded as sources.json in its folder. A
// resumed run compares it before it reads anything, as it compares files (inputs.h).
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "engine/engine.h"
#include "protium/sources.h"

namespace protium {

// A source as it was when the run first saw it.
struct SourceFacts {
  std::string source;   // For people: DescribeSource().
  std::string columns;  // Names and types.
  int64_t rows = 0;     // -1: they are not counted.
  // How the server took the sum of its rows' hashes, and the sum (row_sum.h); empty above 1,000,000
  // rows, where their number alone is compared, and where the position says enough. Of files that
  // are copied here, a digest of their bytes.
  std::string sum;
  // The position of the server's write-ahead log, before the rows were counted (PostgreSQL); of a
  // pinned source, its version, its snapshot, or a digest of its objects.
  // Equal positions mean equal tables; others mean nothing, since every write moves it.
  std::string position;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("source", source);
    visit("columns", columns);
    visit("rows", rows);
    visit("sum", sum);
    visit("position", position);
  }
};

// The state in which a source is read, as far as its kind has such a thing.
struct SourcePin {
  std::string place;
  std::optional<int64_t> version;
  std::vector<SourceObject> objects;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("place", place);
    visit("version", version);
    visit("objects", objects);
  }
};

// One thread.
class SourceRecord {
 public:
  // With `resume`, reads `file` if there is one; an empty name keeps the record in memory.
  static Result<SourceRecord> Open(std::filesystem::path file, bool resume);
  // Whether it is a run's. What leaves no run needs no notes, which cost readings of the table.
  bool kept() const { return !file_.empty(); }
  // Records a source, or compares it with what an earlier attempt recorded: columns, then the
  // position, the number of rows, and the sum. A difference is a fault of kInput that says what
  // changed.
  Status Add(Engine& engine, const Plan& table, const Source& source, const Call& call);
  // The same for a pinned source whose files are read in copies; their bytes are compared.
  Status AddCopies(const Source& source, const std::vector<ObjectCopy>& copies);
  // Returns the source as an earlier attempt read it, or else as it stands now (Engine::Pin). An
  // object that has changed since is a fault of kInput.
  Result<Source> PinOf(Engine& engine, const Source& source, const Call& call);
  // A text that no other run has, the same in every attempt.
  Result<std::string> RunId();

 private:
  explicit SourceRecord(std::filesystem::path file) : file_(std::move(file)) {}
  Status Save() const;

  std::filesystem::path file_;
  std::string run_;
  std::map<std::string, SourceFacts> facts_;
  std::map<std::string, SourcePin> pins_;  // By the keys of sources that are not pinned.
};

}  // namespace protium
