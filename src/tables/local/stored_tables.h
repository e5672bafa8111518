// SPDX-License-Identifier: Apache-2.0
// Kept tables that outlive their run: a table of a Materialize node as a file of the embedded
// database in the store (store/local_store.h), found by the next run that would make the same rows.
// Nothing here can fail a query: what goes wrong with the store is a note, and the table is made as
// without it.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/call.h"
#include "engine/engine.h"
#include "local/kept_tables.h"
#include "local/table_cause.h"
#include "os/temporary_folder.h"
#include "store/local_store.h"

namespace protium {

// A table that is being made for the store. Destroyed without Keep(), it leaves nothing.
class TableDraft {
 public:
  TableDraft(Draft draft, TableCause cause, std::filesystem::path file)
      : draft_(std::move(draft)), cause_(std::move(cause)), file_(std::move(file)) {}

  // The file of the database that the table must be made in, as the table "rows".
  const std::filesystem::path& file() const { return file_; }

 private:
  friend class StoredTables;
  Draft draft_;
  TableCause cause_;
  std::filesystem::path file_;
};

// What is known of a table when it is made.
struct TableFacts {
  int64_t rows = 0;
  std::string content;  // TableContent().
  double seconds = 0;   // That it took.
};

// Thread-safe.
class StoredTables {
 public:
  // Opens the store in `folder`; null if that is empty. If it cannot be opened, queries run
  // without, and the first of them says why. `run` is who makes what is kept from now on; with
  // `fresh` nothing is found, and what is kept is made anew.
  static std::unique_ptr<StoredTables> Open(const std::filesystem::path& folder, std::string run,
                                            bool fresh);

  // The only folder from which databases open files for this: they must admit it before they are
  // locked (Database::Lock). Empty if the store could not be opened.
  std::string folder() const;

  // What is known about the node's rows before anything is made. Refused without a store.
  TableCause CauseOf(const Plan& kept, const SourceNames& sources, const Call& call);
  // Opens the table of an earlier run; none if there is none.
  std::optional<KeptTables::Made> Find(const std::shared_ptr<Database>& database,
                                       const TableCause& cause, const std::string& name,
                                       const Call& call);
  // Begins the table; none if it should be made as without a store. If another process makes it at
  // this moment, waits for that, after which Find() may have it.
  std::optional<TableDraft> Begin(const TableCause& cause, const Call& call);
  // Puts the finished table into the store, unless an input has changed since it was read; `rows`
  // are its columns and marks. The file stays.
  // False if it is not kept.
  bool Keep(TableDraft draft, const KeptRows& rows, const TableFacts& facts, const Call& call);
  // Gives up what others can make again, after the disk was full.
  void GiveWay(int64_t bytes);
  // Names the rows of a plan over tables of these contents, which Find() or Keep() have seen.
  RowsName NameRows(const Plan& plan, const TableContents& contents);
  // Null if it could not be opened.
  LocalStore* store() { return store_.get(); }
  // For `protium plan`: {"name", "not"} with the reason why a run would not keep it; else "cause",
  // "causes" and "inputs" ("path", "hash"), and "from", "made", "bytes" and "rows" of what it would
  // take.
  Json Describe(const Plan& kept, const SourceNames& sources,
                const std::vector<std::string>& varies, const Call& call);

 private:
  StoredTables(const std::filesystem::path& folder, std::string run, bool fresh);
  Status OpenStore(const std::filesystem::path& folder);
  std::optional<StoredObject> Look(const TableCause& cause, const Call& call);
  Result<KeptTables::Made> Attach(const std::shared_ptr<Database>& database, StoredObject object);
  void Remember(const Manifest& manifest);
  void Say(const Status& status, const Call& call);
  void SayNotes(const Call& call);
  std::filesystem::path NewFile();

  const std::string run_;
  const bool fresh_;
  std::mutex mutex_;  // Guards notes_, last_file_ and inputs_.
  std::vector<std::string> notes_;
  int64_t last_file_ = 0;
  std::unordered_map<std::string, std::vector<StoredInput>> inputs_;  // By content.
  std::unique_ptr<LocalStore> store_;  // Null if it could not be opened.
  std::optional<TemporaryFolder> open_;
};

}  // namespace protium
