// SPDX-License-Identifier: Apache-2.0
#include "local/delta_store.h"

#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "delta/checkpoint.h"
#include "delta/columns.h"
#include "delta/commit.h"
#include "local/delta_log.h"
#include "local/delta_upsert.h"
#include "local/kept_tables.h"
#include "local/lake_files.h"
#include "local/lake_upsert.h"
#include "local/sources.h"
#include "local/upsert.h"
#include "os/random_letters.h"
#include "protium/events.h"
#include "sources/object_store.h"
#include "sources/source.h"
#include "sql/duckdb/quoted.h"

// Files come before the commit that names them, and a commit appears whole under a name that was
// free. So a process that is killed in between leaves files that no version has, and nothing else.

namespace protium {
namespace {

// Each try that fails is another writer's commit.
constexpr int kMostTries = 100;

// Whose commit it is. The same of a newer version means that the rows are there.
struct DeltaMark {
  std::string application;
  int64_t version = 1;
};

// DuckDB writes to them as well, but whether their commits can be lost is not known here.
Status CheckStore(const Source& target) {
  if (!IsObjectPlace(target.file) || ProviderOf(target.file) == "s3") return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "tables of Delta are written in folders here and at s3://",
               .where = target.file,
               .fix = "write it on Spark, or to a folder"});
}

class DeltaStoring {
 public:
  DeltaStoring(const duck::Connection& connection, DeltaLog& log, const Store& store,
               std::string rows, Warn warn)
      : connection_(connection),
        store_(store),
        log_(log),
        rows_(std::move(rows)),
        warn_(std::move(warn)) {}

  // False: the rows are there already. A commit of which it is not known whether it appeared keeps
  // its files.
  Result<bool> Run(const arrow::Schema& schema, DeltaMark mark) {
    mark_ = std::move(mark);
    for (int i = 0; i < kMostTries; ++i) {
      const Result<bool> ready = Prepare(schema);
      if (!ready.ok() || !*ready) {
        Discard();
        return ready;
      }
      PT_LET(const bool won, Put());
      if (won) {
        // The rows are in the table, whatever becomes of it.
        WarnOf(Checkpoint());
        return true;
      }
    }
    Discard();
    return Fail({.exit = Exit::kRemote,
                 .what = fmt::format("other writers were faster {} times", kMostTries),
                 .where = store_.target.file,
                 .kept = "the table without these rows"});
  }

 private:
  bool replaces() const { return store_.mode == StoreMode::kReplace; }
  bool upserts() const { return store_.mode == StoreMode::kUpsert; }

  // Replacing gives the same however often, and a run may have learned more since.
  Result<bool> IsDone() {
    if (replaces() || !table_.exists()) return false;
    PT_LET(const int64_t newest, log_.NewestOf(mark_.application));
    return newest >= mark_.version;
  }

  // Reads the table as it is now and writes the files of its next version; false if the rows are
  // in it already.
  Result<bool> Prepare(const arrow::Schema& schema) {
    PT_LET(table_, log_.Read());
    PT_LET(const bool done, IsDone());
    if (done) return false;
    PT_TRY(CheckWritable(table_, store_.mode, store_.target.file));
    // What an upsert replaces is another writer's now.
    if (std::exchange(written_, true) && !upserts()) {
      PT_TRY(CheckStill());
    } else {
      PT_TRY(WriteFiles(schema));
    }
    return true;
  }

  Status WriteFiles(const arrow::Schema& schema) {
    Discard();
    name_ = "part-" + RandomLetters(16);
    PT_LET(schema_, table_.exists() ? ParseJson(TextAt(table_.metadata, "schemaString"))
                                    : DeltaSchema(schema));
    PT_LET(const auto columns, FitColumns(schema_, schema, store_.target.file));
    PT_TRY(CheckNoNulls(connection_, rows_, columns, store_.target.file));
    partitions_ = PartitionsOf(table_);
    DeltaRewrite rewrite{.rows = rows_};
    if (upserts() && table_.exists()) {
      PT_LET(const auto there, log_.Files(DeltaLog::Statistics::kText));
      PT_LET(rewrite, FindRewrite(connection_, store_, rows_, there, columns, partitions_));
    }
    removed_ = std::move(rewrite.removed);
    PT_LET(files_,
           WriteLakeFiles(connection_, store_.target, name_, rewrite.rows, columns, partitions_));
    return Status::OK();
  }

  // Whether the files, which were written for the table as it was, fit what it is now.
  Status CheckStill() {
    const Result<Json> schema = ParseJson(TextAt(table_.metadata, "schemaString"));
    if (schema.ok() && *schema == schema_ && PartitionsOf(table_) == partitions_)
      return Status::OK();
    return Fail({.exit = Exit::kRemote,
                 .what = "another writer has changed the columns of the Delta table meanwhile",
                 .where = store_.target.file,
                 .fix = "protium resume writes the rows again",
                 .kept = "the table without these rows"});
  }

  Result<bool> Put() {
    DeltaCommit commit{.mode = store_.mode,
                       .application = mark_.application,
                       .application_version = mark_.version,
                       .millis = MillisNow(),
                       .added = files_,
                       .removed = removed_};
    PT_LET(commit.id, Ask("SELECT CAST(uuid() AS VARCHAR)"));
    if (!table_.exists()) commit.created = schema_;
    if (replaces() && table_.exists()) {
      PT_LET(commit.removed, log_.Files());
    }
    return PutLakeFile(connection_, store_.target,
                       log_.folder() + "/" + CommitName(table_.version + 1), CommitText(commit));
  }

  Status Checkpoint() {
    DeltaTable now = table_;
    if (++now.version; !IsCheckpointDue(now)) return Status::OK();
    PT_LET(now, log_.Read());
    return log_.WriteCheckpoint(now);
  }

  void WarnOf(const Status& checkpoint) const {
    if (checkpoint.ok() || !warn_) return;
    const Fault fault = FaultOf(checkpoint);
    const int64_t interval = CheckpointInterval(table_);
    warn_(fmt::format(
        "the rows are in {}, but the checkpoint of its version {} could not be written: {}{}; "
        "readers begin with an older one until the next is due, {} version{} later",
        store_.target.file, table_.version + 1, fault.what,
        fault.why.empty() ? "" : ": " + fault.why, interval, PluralOf(interval)));
  }

  void Discard() {
    if (!name_.empty()) RemoveLakeFiles(store_.target, name_);
  }

  Result<std::string> Ask(const std::string& sql) { return duck::AskText(connection_, sql); }

  const duck::Connection& connection_;
  const Store& store_;
  DeltaLog& log_;
  const std::string rows_;
  const Warn warn_;
  DeltaMark mark_;
  DeltaTable table_;      // As it was read last.
  bool written_ = false;  // Whether files were.
  std::string name_;      // That of the files begins so; empty before there are any.
  Json schema_;
  std::vector<std::string> partitions_;
  std::vector<LakeFile> files_;
  std::vector<Json> removed_;  // By an upsert.
};

}  // namespace

Result<bool> AppendToDelta(const duck::Connection& connection, DeltaLog& log,
                           const DeltaBatch& batch) {
  const Store store{.target = batch.target, .mode = StoreMode::kAppend};
  return DeltaStoring(connection, log, store, batch.rows, batch.warn)
      .Run(*batch.schema, {.application = batch.application, .version = batch.number});
}

Status CheckDeltaRows(DeltaLog& log, const Source& target, const arrow::Schema& rows) {
  PT_TRY(CheckStore(target));
  PT_LET(const DeltaTable table, log.Read());
  PT_TRY(CheckWritable(table, StoreMode::kAppend, target.file));
  if (!table.exists()) return DeltaSchema(rows).status();
  PT_LET(const Json schema, ParseJson(TextAt(table.metadata, "schemaString")));
  return FitColumns(schema, rows, target.file).status();
}

Result<int64_t> StoreInDelta(const DatabaseOptions& options, BatchStream& stream,
                             const Store& store, const Call& call) {
  PT_TRY(CheckStore(store.target));
  DatabaseOptions own = options;
  own.show_secrets = true;  // For FindStoreKey(); no SQL of others runs in this database.
  const auto database = std::make_shared<Database>(own);
  PT_LET(const KeptTable rows, KeptTable::Fill(database, stream));
  PT_LET(const duck::Connection connection, database->Connect());
  if (store.mode == StoreMode::kUpsert) PT_TRY(CheckRowKeys(connection, store, rows.name()));
  OpenSources sources;
  PT_TRY(sources.OpenPlace(connection, store.target));
  DeltaLog log(connection, store.target);
  DeltaMark mark;
  PT_LET(mark.application, MarkOfRows(connection, store, rows.name()));
  const Warn warn = [&call](const std::string& message) { call.Send(Warning{message}); };
  PT_TRY(DeltaStoring(connection, log, store, rows.name(), warn)
             .Run(*stream.schema(), std::move(mark))
             .status());
  PT_LET(const std::string count,
         duck::AskText(connection, "SELECT CAST(count(*) AS VARCHAR) FROM " + rows.name()));
  return AllAsNumber<int64_t>(count).value_or(0);
}

Status CheckDeltaTarget(const DatabaseOptions& options, const Store& store) {
  PT_TRY(CheckStore(store.target));
  Database database(options);
  PT_LET(const duck::Connection connection, database.Connect());
  OpenSources sources;
  PT_TRY(sources.OpenPlace(connection, store.target));
  PT_LET(const DeltaTable table, DeltaLog(connection, store.target).Read());
  return CheckWritable(table, store.mode, store.target.file);
}

}  // namespace protium
