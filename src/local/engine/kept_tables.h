// SPDX-License-Identifier: Apache-2.0
// Results that stay in the embedded database, where they spill when memory is short.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/call.h"
#include "engine/engine.h"
#include "local/duckdb/database.h"
#include "sql/kept_rows.h"

namespace protium {

// A table of the database, dropped with this object.
class KeptTable {
 public:
  // Takes a name that no other table has; the table itself is not there yet.
  static Result<KeptTable> Name(std::shared_ptr<Database> database);
  // Makes a table of a stream's rows.
  static Result<KeptTable> Fill(std::shared_ptr<Database> database, BatchStream& stream);

  KeptTable(KeptTable&&) = default;
  KeptTable& operator=(KeptTable&&) = delete;
  ~KeptTable();
  const std::string& name() const { return name_; }

 private:
  KeptTable(std::shared_ptr<Database> database, std::string name)
      : database_(std::move(database)), name_(std::move(name)) {}
  std::shared_ptr<Database> database_;  // Null after a move.
  std::string name_;
};

// The tables of Materialize nodes, by the node's identity. Each is made once, however many ask for
// it at the same time; the others wait, no longer than their call allows.
class KeptTables {
 public:
  struct Made {
    KeptTable table;
    KeptRows rows = {};  // Columns and marks; `table` gives the name.
  };
  Result<KeptRows> Get(const Plan& plan, const Call& call,
                       const std::function<Result<Made>()>& make);

  // Those that are there now.
  std::unordered_map<const Node*, KeptRows> Ready() const;

 private:
  struct Entry {
    Plan plan;  // Keeps the node's address from being used again.
    std::timed_mutex making;
    std::optional<KeptTable> table;
    KeptRows ready;  // Once the table is there; guarded by KeptTables::mutex_.
  };
  Entry& EntryOf(const Plan& plan);

  mutable std::mutex mutex_;
  std::map<const Node*, Entry> entries_;
};

// The keys of lookups as tables with the columns pt_key and pt_position, by the list's identity.
// Any thread.
class KeyTables {
 public:
  Result<std::string> Get(const std::shared_ptr<Database>& database, const Lookup& lookup);

 private:
  struct Entry {
    std::shared_ptr<const std::vector<std::string>> keys;
    KeptTable table;
  };
  std::mutex mutex_;  // Held while a table is made: lists are in memory, so that is soon.
  std::map<const void*, Entry> entries_;
};

// Gives the stream's rows and keeps `held` until it ends; faults of bad CSV are sharpened by
// `plan`.
BatchStreamPtr HoldingStream(BatchStreamPtr stream, std::vector<KeptTable> held, Plan plan);

}  // namespace protium
