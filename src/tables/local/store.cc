// SPDX-License-Identifier: Apache-2.0
#include "local/store.h"

#include "base/text.h"
#include "local/delta_store.h"
#include "local/iceberg_store.h"
#include "local/kept_tables.h"
#include "local/sources.h"
#include "local/store_marks.h"
#include "local/upsert.h"

// The tables are made before the transaction begins, since MySQL commits whatever is open when it
// makes one: an empty table is all that a process may leave that ends in between.

namespace protium {
namespace {

class Storing {
 public:
  Storing(const duck::Connection& connection, const Store& store, const std::string& database)
      : connection_(connection),
        store_(store),
        table_(QualifiedTable(database, store.target.table)),
        marks_(connection, database, store.target.table),
        keys_(connection, store, database, table_) {}

  Result<int64_t> Run(const std::string& rows) {
    PT_TRY(Explained(marks_.Make()));
    PT_TRY(Explained(MakeTable(connection_, table_, " AS SELECT * FROM " + rows + " LIMIT 0")));
    const bool upsert = store_.mode == StoreMode::kUpsert;
    if (upsert) PT_TRY(Explained(keys_.Make()));
    PT_TRY(Do("BEGIN"));
    const auto before = marks_.RowsOf(store_.run, store_.output);
    PT_TRY(Explained(before.status()));
    // The other modes give the same however often, and a run may have learned more since.
    if (*before && store_.mode == StoreMode::kAppend) {
      PT_TRY(Do("ROLLBACK"));
      return **before;
    }
    Result<int64_t> written = Write(rows);
    if (!upsert) return written;
    // What was begun holds locks that dropping would wait for.
    if (!written.ok()) (void)Do("ROLLBACK");
    const Status dropped = keys_.Drop();
    if (written.ok()) PT_TRY(Explained(dropped));
    return written;
  }

 private:
  Result<int64_t> Write(const std::string& rows) {
    if (store_.mode == StoreMode::kReplace) PT_TRY(Do("DELETE FROM " + table_));
    if (store_.mode == StoreMode::kUpsert) PT_TRY(Explained(keys_.Delete(rows)));
    if (store_.mode != StoreMode::kAppend) {
      PT_TRY(Explained(marks_.Remove(store_.run, store_.output)));
    }
    PT_TRY(Do("INSERT INTO " + table_ + " BY NAME SELECT * FROM " + rows));
    const auto text = duck::AskText(connection_, "SELECT CAST(count(*) AS VARCHAR) FROM " + rows);
    PT_TRY(Explained(text.status()));
    const int64_t count = AllAsNumber<int64_t>(*text).value_or(0);
    PT_TRY(Explained(marks_.Add(store_.run, store_.output, count)));
    PT_TRY(Do("COMMIT"));
    return count;
  }

  Status Do(const std::string& sql) { return Explained(duck::Do(connection_, sql)); }
  Status Explained(const Status& status) const { return StoreFault(store_.target, status); }

  const duck::Connection& connection_;
  const Store& store_;
  std::string table_;
  StoreMarks marks_;
  UpsertKeys keys_;
};

}  // namespace

Status CheckTarget(const DatabaseOptions& options, const Store& store) {
  if (store.target.kind == SourceKind::kDelta) return CheckDeltaTarget(options, store);
  if (store.target.kind == SourceKind::kIceberg) return CheckIcebergTarget(options, store);
  return Status::OK();
}

Result<int64_t> StoreRows(const DatabaseOptions& options, BatchStream& stream, const Store& store,
                          const Call& call) {
  if (store.target.kind == SourceKind::kDelta) return StoreInDelta(options, stream, store, call);
  if (store.target.kind == SourceKind::kIceberg) return StoreInIceberg(options, stream, store);
  const auto database = std::make_shared<Database>(options);
  PT_LET(const KeptTable rows, KeptTable::Fill(database, stream));
  PT_LET(const duck::Connection connection, database->Connect());
  if (store.mode == StoreMode::kUpsert) PT_TRY(CheckRowKeys(connection, store, rows.name()));
  OpenSources sources;
  PT_LET(const std::string name, sources.OpenToWrite(connection, store.target));
  return Storing(connection, store, name).Run(rows.name());
}

}  // namespace protium
