// SPDX-License-Identifier: Apache-2.0
// What a run found in the sources that are no files, recorded as sources.json in its folder. A
// resumed run compares it before it reads anything, as it compares files (inputs.h).
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "base/call.h"
#include "engine/engine.h"
#include "protium/sources.h"

namespace protium {

// A source as it was when the run first saw it.
struct SourceFacts {
  std::string source;   // For people: DescribeSource().
  std::string columns;  // Names and types.
  int64_t rows = 0;
  // The sum of hashes of all rows, whatever their order; empty above 1,000,000 rows, where their
  // number alone is compared.
  std::string sum;
  // The server's own position, before the rows were counted: a write-ahead log's (PostgreSQL).
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
  // The version at which a Delta table without one is read: that of the earlier attempt, or the
  // newest.
  Result<int64_t> VersionOf(const Source& source);
  // A text that no other run has, the same in every attempt.
  Result<std::string> RunId();

 private:
  explicit SourceRecord(std::filesystem::path file) : file_(std::move(file)) {}
  Status Save() const;

  std::filesystem::path file_;
  std::string run_;
  std::map<std::string, SourceFacts> facts_;
  std::map<std::string, int64_t> versions_;  // Of Delta tables, by their folders.
};

}  // namespace protium
