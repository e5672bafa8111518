// SPDX-License-Identifier: Apache-2.0
// The embedded database of one engine: DuckDB in memory, with the settings, functions and macros
// that make its SQL mean what Spark's means, and a lock on the files that it may open.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "duckdb/handles.h"
#include "local/sources.h"

namespace protium {

// What is fixed when the database is opened.
struct DatabaseOptions {
  int64_t memory_bytes = 0;   // 0: DuckDB chooses, 80 % of the machine's.
  int32_t threads = 0;        // 0: as many as the machine has cores.
  std::string spill;          // A folder; empty: nothing is spilled.
  bool show_secrets = false;  // Lets SQL read what the database was given as secrets.
};

// Opened when somebody connects, or begins to before that: registering all functions and macros
// takes a moment. Thread-safe.
class Database {
 public:
  explicit Database(DatabaseOptions options) : options_(std::move(options)) {}

  // Begins to open, in a thread of its own; the first caller of Connect() waits for it.
  void Warm() const;
  // Whether anybody has begun to.
  bool IsOpen() const;
  // Makes a new connection with all settings applied. Every call returns the error if opening
  // failed.
  Result<duck::Connection> Connect() const;
  // Runs a statement for the whole database before the next connection is made, so that nobody
  // opens the database for its sake. If it fails, so does every Connect() from then on; `fix` is
  // what the user can do.
  void BeforeNext(std::string sql, std::string fix = {}) const;
  // Takes such a statement back; false if it has run.
  bool TakeBack(const std::string& sql) const;

  // Whether queries here may read these files and sources. Before Lock(), all are admitted;
  // afterwards only files that were admitted and sources that were opened before.
  bool Admit(const std::vector<std::string>& files, const std::vector<Source>& sources = {});
  // Makes a source readable (OpenSources::Open), after its files were admitted and before Lock().
  Status OpenSource(const Source& source);
  // Makes the files at a source's place readable (OpenSources::OpenPlace), before Lock().
  Status OpenPlace(const Source& source);
  // Finds the state of a source (OpenSources::Pin), before Lock().
  Result<Source> PinSource(const Source& source);
  bool locked();
  // From now on the database itself opens only admitted files and its spill folder, since SQL text
  // that a person wrote must not read others. Cannot be undone.
  Status Lock();

  // Returns 1, 2, 3, ..., for names that no other table of the database has.
  int64_t NextNumber() { return ++last_number_; }

 private:
  // Guards admitted_, sources_ and locked_.
  std::mutex mutex_;
  std::set<std::string> admitted_;
  OpenSources sources_;
  bool locked_ = false;

  using Opened = Result<std::shared_ptr<duck::Database>>;
  std::shared_future<Opened> Begun() const;
  Status RunWaiting(const duck::Connection& connection) const;

  const DatabaseOptions options_;
  std::atomic<int64_t> last_number_ = 0;
  mutable std::mutex opening_;  // Guards opened_ and waiting_.
  // Set once; holds the database for all connections.
  mutable std::shared_future<Opened> opened_;
  struct Waiting {
    std::string sql;
    std::string fix;
  };
  mutable std::vector<Waiting> waiting_;
};

}  // namespace protium
