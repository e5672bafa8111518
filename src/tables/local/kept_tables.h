// SPDX-License-Identifier: Apache-2.0
// Results that stay in the embedded database, where they spill when memory is short: the tables of
// Materialize nodes, of tasks' results, and of lookups' keys.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/call.h"
#include "engine/engine.h"
#include "local/database.h"
#include "sql/kept_rows.h"

namespace protium {

// A table of the database, dropped when this object is destroyed.
class KeptTable {
 public:
  // Takes a name that no other table has; the table itself must still be made.
  static Result<KeptTable> Name(std::shared_ptr<Database> database);
  // Takes a name for the table "rows" of a new database in `file`, which must still be made;
  // Finish() then makes the file whole and opens it again, for reading alone.
  static Result<KeptTable> InFile(std::shared_ptr<Database> database,
                                  const std::filesystem::path& file);
  Status Finish();
  // The table "rows" of the database in `file`, which is opened with the next connection, and
  // removed when this object is destroyed; `held` is held until then.
  static KeptTable Open(std::shared_ptr<Database> database, const std::filesystem::path& file,
                        std::shared_ptr<void> held);
  // Makes a table of a stream's rows; reads the stream to its end.
  static Result<KeptTable> Fill(std::shared_ptr<Database> database, BatchStream& stream);

  KeptTable(KeptTable&&) = default;
  KeptTable& operator=(KeptTable&&) = delete;
  ~KeptTable();
  const std::string& name() const { return name_; }

 private:
  KeptTable(std::shared_ptr<Database> database, std::string name, std::string drop)
      : database_(std::move(database)), name_(std::move(name)), drop_(std::move(drop)) {}
  static KeptTable OfFile(std::shared_ptr<Database> database, std::filesystem::path file);
  std::string Attaching(const char* how) const;
  Status Attach(const char* how) const;

  // Null after a move.
  std::shared_ptr<Database> database_;
  std::string name_;
  std::string drop_;            // The statement that removes it.
  std::string attaching_ = {};  // What opens it if the database has not done so yet.
  std::filesystem::path file_;  // Of the database that it lies in; empty: the engine's own.
  std::shared_ptr<void> held_;
};

// The tables of Materialize nodes, by the node's identity. Each is made once, however many callers
// ask for it at the same time: the others wait, as long as their call allows. Thread-safe.
class KeptTables {
 public:
  // A table that was just made.
  struct Made {
    KeptTable table;
    // Columns and marks; the name is the table's.
    KeptRows rows = {};
  };
  // Returns the node's table; calls `make` if there is none. If that fails, the next caller tries
  // again.
  Result<KeptRows> Get(const Plan& plan, const Call& call,
                       const std::function<Result<Made>()>& make);

  // The tables that exist at this moment.
  std::unordered_map<const Node*, KeptRows> Ready() const;

 private:
  struct Entry {
    // Held so that the node's address, which is the key, is not reused for another node.
    Plan plan;
    // Held by the caller that makes the table; not mutex_, since that takes long.
    std::timed_mutex making;
    std::optional<KeptTable> table;
    // Set as soon as the table exists; guarded by KeptTables::mutex_.
    KeptRows ready;
  };
  Entry& FindOrAddEntry(const Plan& plan);

  mutable std::mutex mutex_;
  std::map<const Node*, Entry> entries_;
};

// The keys of lookups as tables with the columns pt_key and pt_position, by the identity of the
// list. Thread-safe.
class KeyTables {
 public:
  Result<std::string> Get(const std::shared_ptr<Database>& database, const Lookup& lookup);

 private:
  struct Entry {
    std::shared_ptr<const std::vector<std::string>> keys;
    KeptTable table;
  };
  // Held while a table is made, which is fast because lists are in memory.
  std::mutex mutex_;
  std::map<const void*, Entry> entries_;
};

// SQL for columns of NULL with the names and types of a table, which describe it to the database.
Result<std::string> NullColumns(const arrow::Schema& schema);

// A stream that owns `held` until it is destroyed, and whose errors about bad CSV are refined with
// `plan` (local/inputs.h).
BatchStreamPtr HoldingStream(BatchStreamPtr stream, std::vector<KeptTable> held, Plan plan);

}  // namespace protium
