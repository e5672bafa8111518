// SPDX-License-Identifier: Apache-2.0
#include "local/store.h"

#include <fmt/format.h>

#include <charconv>

#include "base/fault.h"
#include "local/delta_store.h"
#include "local/iceberg_store.h"
#include "local/kept_tables.h"
#include "local/sources.h"
#include "local/upsert.h"
#include "sources/source.h"
#include "sources/source_name.h"
#include "sql/duckdb/quoted.h"

// The tables are made before the transaction begins, since MySQL commits whatever is open when it
// makes one: an empty table is all that a process may leave that ends in between.

namespace protium {
namespace {

std::string Qualified(const std::string& database, const std::vector<std::string>& parts) {
  std::string text = database;
  for (const std::string& part : parts) text += "." + DuckDbName(part);
  return text;
}

class Storing {
 public:
  Storing(const duck::Connection& connection, const Store& store, const std::string& database)
      : connection_(connection),
        store_(store),
        table_(Qualified(database, NameParts(store.target.table))),
        keys_(connection, store, database, table_) {
    std::vector<std::string> parts = NameParts(store.target.table);
    parts.back() = "protium_commits";
    marks_ = Qualified(database, parts);
  }

  Result<int64_t> Run(const std::string& rows) {
    PT_TRY(Do("CREATE TABLE IF NOT EXISTS " + marks_ +
              " (run VARCHAR, output VARCHAR, row_count BIGINT, committed TIMESTAMP)"));
    PT_TRY(Do("CREATE TABLE IF NOT EXISTS " + table_ + " AS SELECT * FROM " + rows + " LIMIT 0"));
    const bool upsert = store_.mode == StoreMode::kUpsert;
    if (upsert) PT_TRY(Explained(keys_.Make()));
    PT_TRY(Do("BEGIN"));
    PT_LET(const std::string before,
           Ask("SELECT coalesce(CAST(max(row_count) AS VARCHAR), '') FROM " + marks_ + Mine()));
    // The other modes give the same however often, and a run may have learned more since.
    if (!before.empty() && store_.mode == StoreMode::kAppend) {
      PT_TRY(Do("ROLLBACK"));
      return Number(before);
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
  std::string Mine() const {
    return " WHERE run = " + DuckDbText(store_.run) + " AND output = " + DuckDbText(store_.output);
  }

  Result<int64_t> Write(const std::string& rows) {
    if (store_.mode == StoreMode::kReplace) PT_TRY(Do("DELETE FROM " + table_));
    if (store_.mode == StoreMode::kUpsert) PT_TRY(Explained(keys_.Delete(rows)));
    if (store_.mode != StoreMode::kAppend) PT_TRY(Do("DELETE FROM " + marks_ + Mine()));
    PT_TRY(Do("INSERT INTO " + table_ + " BY NAME SELECT * FROM " + rows));
    PT_LET(const std::string count, Ask("SELECT CAST(count(*) AS VARCHAR) FROM " + rows));
    PT_TRY(Do(fmt::format("INSERT INTO {} VALUES ({}, {}, {}, CAST(now() AS TIMESTAMP))", marks_,
                          DuckDbText(store_.run), DuckDbText(store_.output), count)));
    PT_TRY(Do("COMMIT"));
    return Number(count);
  }

  Status Do(const std::string& sql) { return Explained(duck::Do(connection_, sql)); }
  Result<std::string> Ask(const std::string& sql) {
    auto text = duck::AskText(connection_, sql);
    PT_TRY(Explained(text.status()));
    return text;
  }

  Status Explained(const Status& status) const {
    if (status.ok()) return status;
    const Fault said = FaultOf(status);
    if (said.exit == Exit::kStopped) return status;
    return Fail({.exit = Exit::kRemote,
                 .what = "the rows cannot be written",
                 .where = DescribeSource(store_.target),
                 .why = said.what,
                 .kept = "the table as it was"});
  }

  static int64_t Number(const std::string& text) {
    int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  const duck::Connection& connection_;
  const Store& store_;
  std::string table_, marks_;
  UpsertKeys keys_;
};

}  // namespace

Status CheckTarget(const DatabaseOptions& options, const Store& store) {
  if (store.target.kind == SourceKind::kDelta) return CheckDeltaTarget(options, store);
  if (store.target.kind == SourceKind::kIceberg) return CheckIcebergTarget(options, store);
  return Status::OK();
}

Result<int64_t> StoreRows(const DatabaseOptions& options, BatchStream& stream, const Store& store) {
  if (store.target.kind == SourceKind::kDelta) return StoreInDelta(options, stream, store);
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
