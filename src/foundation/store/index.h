// SPDX-License-Identifier: Apache-2.0
// What is quick to ask about the objects of a store: their sizes, uses and worth, and the hashes of
// files that were seen. A file of SQLite beside the objects. The folders are the truth: an index
// that is missing or broken is made again from them, and what it forgets is asked of them again.
// Beside that it remembers answers: short texts that take a moment to find out, by the hash of all
// that decides them.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/status.h"

namespace protium {

struct IndexRow {
  std::string cause;
  std::string kind;
  std::string content;
  int64_t bytes = 0;
  double seconds = 0;
  int64_t uses = 1;
  double worth = 0;
  std::string checked;  // The boot in which it was written, or last verified whole.
};

// A file as the index saw it: unless one of these changes, neither do its bytes.
struct FileStamp {
  int64_t device = 0;
  int64_t inode = 0;
  int64_t bytes = 0;
  int64_t modified = 0;  // Nanoseconds since 1970.
  int64_t changed = 0;   // Likewise: of its inode.
  bool operator==(const FileStamp&) const = default;
};

// What a use of an object needs to know.
struct IndexLook {
  std::optional<IndexRow> row;
  double age = 0;  // Of the whole store (worth.h).
};

// Thread-safe; several processes may have the same file open.
class StoreIndex {
 public:
  // Opens or makes the file; one that is no index of this version is made anew. `fresh` is set if
  // it holds nothing yet.
  static Result<std::unique_ptr<StoreIndex>> Open(const std::filesystem::path& file, bool& fresh);
  ~StoreIndex();
  StoreIndex(const StoreIndex&) = delete;

  Status Put(const IndexRow& row);
  Status Drop(const std::string& cause);
  // Counts a use, after which the object is worth `worth`. Uses are written some at a time, at the
  // latest when they are asked for here or this object ends: they only say what gives way first.
  Status CountUse(const std::string& cause, double worth);
  Status SetChecked(const std::string& cause, const std::string& boot);
  Result<std::optional<IndexRow>> Get(const std::string& cause);
  // Get() and Age() as one question.
  Result<IndexLook> Look(const std::string& cause);
  Result<std::vector<IndexRow>> All();
  Result<std::vector<std::string>> WithContent(const std::string& kind, const std::string& content);
  Result<int64_t> TotalBytes();
  Result<double> Age();
  Status SetAge(double age);

  // The hash of a file with this stamp; none if it was not seen, or not since it changed.
  Result<std::optional<std::string>> FileHash(const FileStamp& stamp);
  Status PutFileHash(const FileStamp& stamp, const std::string& hash);

  // The answer of that name; none if there is none, or if its bytes are not those that were put.
  Result<std::optional<std::string>> Answer(const std::string& name);
  // Replaces it. One above 1 MiB is not remembered; the oldest of many give way.
  Status PutAnswer(const std::string& name, const std::string& answer);
  Status DropAnswers();

 private:
  explicit StoreIndex(sqlite3* database) : database_(database) {}

  struct Uses {
    int64_t count = 0;
    double worth = 0;
  };
  Status WriteUses();

  std::mutex mutex_;
  std::map<std::string, Uses> uses_;  // By cause: what is not written yet,
  Clock::time_point uses_since_;      // and since when.
  sqlite3* database_;
  // Of what every use of an object asks.
  sqlite3_stmt* look_ = nullptr;
  sqlite3_stmt* update_ = nullptr;
  sqlite3_stmt* answer_ = nullptr;
};

}  // namespace protium
