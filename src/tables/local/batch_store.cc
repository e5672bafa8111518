// SPDX-License-Identifier: Apache-2.0
#include "local/batch_store.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/fault.h"
#include "column/stream.h"
#include "local/delta_store.h"
#include "local/kept_tables.h"
#include "local/store_marks.h"
#include "sources/source.h"

namespace protium {
namespace {

// A database of ours, with the target open in it.
struct OpenedDatabase {
  std::shared_ptr<Database> database;
  duck::Connection connection;
  OpenSources sources;
};

Result<std::unique_ptr<OpenedDatabase>> OpenFor(const DatabaseOptions& options) {
  auto opened = std::make_unique<OpenedDatabase>();
  opened->database = std::make_shared<Database>(options);
  PT_LET(opened->connection, opened->database->Connect());
  return opened;
}

Result<KeptTable> Keep(const OpenedDatabase& opened, const SchemaPtr& schema,
                       arrow::RecordBatchVector rows) {
  const BatchStreamPtr stream = MakeStream(schema, std::move(rows));
  return KeptTable::Fill(opened.database, *stream);
}

Status Overtaken(const BatchTarget& target, int64_t number) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("batch {} of this stream is in the table already: another "
                                   "process has taken over this stream",
                                   number),
               .where = DescribeSource(target.source),
               .fix = "run one process with this stream's folder"});
}

class TableBatches : public BatchStore {
 public:
  TableBatches(DatabaseOptions options, BatchTarget target)
      : options_(std::move(options)), target_(std::move(target)) {}

  Status Start(const SchemaPtr& rows) override {
    PT_TRY(Connect());
    return Leaving(Make(rows));
  }

  Result<int64_t> Newest() override {
    PT_TRY(Connect());
    const Result<int64_t> newest = marks().NewestBatch(target_.stream);
    PT_TRY(Leaving(newest.status()));
    return newest;
  }

  Status Append(int64_t number, const std::shared_ptr<arrow::RecordBatch>& rows) override {
    PT_TRY(Connect());
    return Leaving(Write(number, rows));
  }

 private:
  Status Connect() {
    if (opened_ != nullptr) return Status::OK();
    PT_LET(auto opened, OpenFor(options_));
    PT_LET(name_, opened->sources.OpenToWrite(opened->connection, target_.source));
    opened_ = std::move(opened);
    return Status::OK();
  }

  // DuckDB locks its file for as long as it is open.
  Status Leaving(const Status& status) {
    if (!status.ok() || target_.source.kind == SourceKind::kDuckDb) opened_.reset();
    const bool said = status.ok() || FaultOf(status).exit == Exit::kUsage;  // Overtaken().
    return said ? status : StoreFault(target_.source, status);
  }

  StoreMarks marks() const { return StoreMarks(opened_->connection, name_, target_.source.table); }
  std::string table() const { return QualifiedTable(name_, target_.source.table); }
  Status Do(const std::string& sql) const { return duck::Do(opened_->connection, sql); }
  std::string InsertFrom(const KeptTable& rows) const {
    return "INSERT INTO " + table() + " BY NAME SELECT * FROM " + rows.name();
  }

  // Rows of other columns are refused by an insertion of none.
  Status Make(const SchemaPtr& rows) {
    PT_LET(const KeptTable none, Keep(*opened_, rows, {}));
    PT_TRY(marks().Make());
    PT_TRY(
        MakeTable(opened_->connection, table(), " AS SELECT * FROM " + none.name() + " LIMIT 0"));
    return Do(InsertFrom(none));
  }

  Status Write(int64_t number, const std::shared_ptr<arrow::RecordBatch>& rows) {
    PT_LET(const KeptTable kept, Keep(*opened_, rows->schema(), {rows}));
    PT_TRY(Do("BEGIN"));
    PT_LET(const int64_t newest, marks().NewestBatch(target_.stream));
    if (newest >= number) return Overtaken(target_, number);
    PT_TRY(Do(InsertFrom(kept)));
    PT_TRY(marks().SetNewestBatch(target_.stream, number, rows->num_rows()));
    return Do("COMMIT");
  }

  DatabaseOptions options_;
  BatchTarget target_;
  std::unique_ptr<OpenedDatabase> opened_;
  std::string name_;  // Of the target in it.
};

class DeltaBatches : public BatchStore {
 public:
  DeltaBatches(DatabaseOptions options, BatchTarget target)
      : options_(std::move(options)), target_(std::move(target)) {
    options_.show_secrets = true;  // As StoreInDelta().
  }

  Status Start(const SchemaPtr& rows) override {
    PT_TRY(Connect());
    return Leaving(CheckDeltaRows(*log_, target_.source, *rows));
  }

  Result<int64_t> Newest() override {
    PT_TRY(Connect());
    const auto newest = ReadNewest();
    PT_TRY(Leaving(newest.status()));
    return newest;
  }

  Status Append(int64_t number, const std::shared_ptr<arrow::RecordBatch>& rows) override {
    PT_TRY(Connect());
    return Leaving(Write(number, rows));
  }

 private:
  std::string application() const { return "protium stream " + target_.stream; }

  Status Connect() {
    if (opened_ != nullptr) return Status::OK();
    PT_LET(auto opened, OpenFor(options_));
    PT_TRY(opened->sources.OpenPlace(opened->connection, target_.source));
    opened_ = std::move(opened);
    log_.emplace(opened_->connection, target_.source);
    return Status::OK();
  }
  Status Leaving(const Status& status) {
    if (status.ok()) return status;
    log_.reset();
    opened_.reset();
    return status;
  }

  Result<int64_t> ReadNewest() {
    PT_LET(const DeltaTable table, log_->Read());
    return table.exists() ? log_->NewestOf(application()) : -1;
  }

  Status Write(int64_t number, const std::shared_ptr<arrow::RecordBatch>& rows) {
    PT_LET(const KeptTable kept, Keep(*opened_, rows->schema(), {rows}));
    PT_LET(const bool written, AppendToDelta(opened_->connection, *log_,
                                             {.target = target_.source,
                                              .application = application(),
                                              .number = number,
                                              .rows = kept.name(),
                                              .schema = rows->schema(),
                                              .warn = target_.note}));
    return written ? Status::OK() : Overtaken(target_, number);
  }

  DatabaseOptions options_;
  BatchTarget target_;
  std::unique_ptr<OpenedDatabase> opened_;
  std::optional<DeltaLog> log_;  // Goes before the connection that it reads through.
};

}  // namespace

std::unique_ptr<BatchStore> MakeBatchStore(DatabaseOptions options, BatchTarget target) {
  if (target.source.kind == SourceKind::kDelta) {
    return std::make_unique<DeltaBatches>(std::move(options), std::move(target));
  }
  return std::make_unique<TableBatches>(std::move(options), std::move(target));
}

}  // namespace protium
