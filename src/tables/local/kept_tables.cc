// SPDX-License-Identifier: Apache-2.0
#include "local/kept_tables.h"

#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <fmt/format.h>

#include "base/fault.h"
#include "column/stream.h"
#include "duckdb/fault.h"
#include "local/inputs.h"
#include "sql/dialect.h"

namespace protium {
namespace {

// How soon a waiting query notices that it was stopped.
constexpr auto kLook = std::chrono::milliseconds(50);

// Members are destroyed in reverse: the stream, which may still read the tables, before the tables.
class Holder : public BatchStream {
 public:
  Holder(BatchStreamPtr stream, std::vector<KeptTable> held, Plan plan)
      : held_(std::move(held)), plan_(std::move(plan)), stream_(std::move(stream)) {}
  const SchemaPtr& schema() const override { return stream_->schema(); }
  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    auto next = stream_->Next();
    if (!next.ok()) return RefineStatus(next.status(), plan_);
    return next;
  }

 private:
  std::vector<KeptTable> held_;
  Plan plan_;
  BatchStreamPtr stream_;
};

Result<std::string> ColumnList(const arrow::Schema& schema) {
  std::string list;
  for (const auto& field : schema.fields()) {
    PT_LET(std::string type, TypeText(*field->type(), DuckDbDialect()));
    list += (list.empty() ? "" : ", ") + QuoteName(field->name(), DuckDbDialect()) + " " + type;
  }
  return list;
}

// Appends Arrow batches to a table, through DuckDB's appender.
class Filling {
 public:
  Filling(const duck::Connection& connection) : connection_(connection) {}

  Status Open(const std::string& table, const arrow::Schema& schema) {
    ArrowSchema exported{};
    PT_TRY(arrow::ExportSchema(schema, &exported));
    const Status status =
        duck::TakeError(duckdb_schema_from_arrow(connection_.get(), &exported, columns_.out()));
    // The receiver of an exported structure sets `release` to null (Arrow's C data interface); on
    // errors DuckDB may not have done so.
    if (exported.release != nullptr) exported.release(&exported);
    PT_TRY(status);
    if (duckdb_appender_create(connection_.get(), nullptr, table.c_str(), appender_.out()) ==
        DuckDBError) {
      return Error();
    }
    return Status::OK();
  }

  Status Add(const arrow::RecordBatch& batch) {
    // A chunk holds at most this many rows.
    const auto step = static_cast<int64_t>(duckdb_vector_size());
    for (int64_t at = 0; at < batch.num_rows(); at += step) {
      ArrowArray exported{};
      PT_TRY(arrow::ExportRecordBatch(*batch.Slice(at, step), &exported));
      duck::Chunk chunk;
      const Status status = duck::TakeError(
          duckdb_data_chunk_from_arrow(connection_.get(), &exported, columns_.get(), chunk.out()));
      if (exported.release != nullptr) exported.release(&exported);
      PT_TRY(status);
      if (duckdb_append_data_chunk(appender_.get(), chunk.get()) == DuckDBError) return Error();
    }
    return Status::OK();
  }

  Status Close() {
    return duckdb_appender_close(appender_.get()) == DuckDBError ? Error() : Status::OK();
  }

 private:
  Status Error() {
    const Status status = duck::TakeError(duckdb_appender_error_data(appender_.get()));
    return status.ok() ? Status::UnknownError("cannot append to a kept table") : status;
  }

  const duck::Connection& connection_;
  duck::ArrowColumns columns_;
  duck::Appender appender_;
};

}  // namespace

Result<KeptTable> KeptTable::Name(std::shared_ptr<Database> database) {
  const int64_t number = database->NextNumber();
  const std::string name = fmt::format("pt_kept_{}", number);
  // If making the table failed, it does not exist.
  return KeptTable(std::move(database), name, "DROP TABLE IF EXISTS " + name);
}

KeptTable KeptTable::OfFile(std::shared_ptr<Database> database, std::filesystem::path file) {
  const std::string name = fmt::format("pt_kept_{}", database->NextNumber());
  KeptTable table(std::move(database), name + ".rows", "DETACH DATABASE IF EXISTS " + name);
  table.file_ = std::move(file);
  return table;
}

std::string KeptTable::Attaching(const char* how) const {
  const std::string name = name_.substr(0, name_.find('.'));
  return fmt::format("ATTACH {} AS {}{}", QuoteText(file_.string(), DuckDbDialect()), name, how);
}

Status KeptTable::Attach(const char* how) const {
  PT_LET(const duck::Connection connection, database_->Connect());
  return duck::Do(connection, Attaching(how));
}

Result<KeptTable> KeptTable::InFile(std::shared_ptr<Database> database,
                                    const std::filesystem::path& file) {
  KeptTable table = OfFile(std::move(database), file);
  PT_TRY(table.Attach(""));
  return table;
}

// Detaching writes everything into the file, and the lock that kept other processes from reading it
// goes.
Status KeptTable::Finish() {
  PT_LET(const duck::Connection connection, database_->Connect());
  PT_TRY(duck::Do(connection, drop_));
  return Attach(" (READ_ONLY)");
}

KeptTable KeptTable::Open(std::shared_ptr<Database> database, const std::filesystem::path& file,
                          std::shared_ptr<void> held) {
  KeptTable table = OfFile(std::move(database), file);
  table.held_ = std::move(held);
  table.attaching_ = table.Attaching(" (READ_ONLY)");
  table.database_->BeforeNext(table.attaching_,
                              "the kept table is not readable: make it anew with --fresh");
  return table;
}

Result<KeptTable> KeptTable::Fill(std::shared_ptr<Database> database, BatchStream& stream) {
  PT_LET(const duck::Connection connection, database->Connect());
  PT_LET(KeptTable table, Name(database));
  PT_LET(std::string columns, ColumnList(*stream.schema()));
  PT_TRY(duck::Do(connection, "CREATE TABLE " + table.name() + " (" + columns + ")"));
  Filling filling(connection);
  PT_TRY(filling.Open(table.name(), *stream.schema()));
  while (true) {
    PT_LET(const auto batch, stream.Next());
    if (batch == nullptr) break;
    PT_TRY(filling.Add(*batch));
  }
  PT_TRY(filling.Close());
  return table;
}

KeptTable::~KeptTable() {
  if (database_ == nullptr) return;
  if (attaching_.empty() || !database_->TakeBack(attaching_)) {
    const auto connection = database_->Connect();
    if (!connection.ok()) return;
    (void)duck::Do(*connection, drop_);
  }
  std::error_code ignored;
  if (!file_.empty()) std::filesystem::remove(file_, ignored);
}

KeptTables::Entry& KeptTables::FindOrAddEntry(const Plan& plan) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[plan.get()];
  entry.plan = plan;
  return entry;
}

Result<KeptRows> KeptTables::Get(const Plan& plan, const Call& call,
                                 const std::function<Result<Made>()>& make) {
  Entry& entry = FindOrAddEntry(plan);
  std::unique_lock making(entry.making, std::defer_lock);
  // The caller that waits may be stopped, so it checks every kLook.
  while (!making.try_lock_until(std::min(call.deadline, Clock::now() + kLook))) {
    if (call.stop.stop_requested()) return Status::Cancelled("the query was stopped");
    if (Clock::now() < call.deadline) continue;
    return Fail({.exit = Exit::kStalled,
                 .what = "this query's deadline passed while another one was making a table"});
  }
  if (!entry.table) {
    PT_LET(Made made, make());
    entry.table.emplace(std::move(made.table));
    made.rows.table = entry.table->name();
    const std::lock_guard lock(mutex_);
    entry.ready = std::move(made.rows);
  }
  const std::lock_guard lock(mutex_);
  return entry.ready;
}

std::unordered_map<const Node*, KeptRows> KeptTables::Ready() const {
  const std::lock_guard lock(mutex_);
  std::unordered_map<const Node*, KeptRows> ready;
  for (const auto& [node, entry] : entries_) {
    if (!entry.ready.table.empty()) ready[node] = entry.ready;
  }
  return ready;
}

Result<std::string> KeyTables::Get(const std::shared_ptr<Database>& database,
                                   const Lookup& lookup) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(lookup.keys.get());
  if (found != entries_.end()) return found->second.table.name();
  arrow::StringBuilder keys;
  arrow::Int64Builder positions;
  PT_TRY(keys.AppendValues(*lookup.keys));
  for (size_t i = 0; i < lookup.keys->size(); ++i) {
    PT_TRY(positions.Append(static_cast<int64_t>(i)));
  }
  PT_LET(auto key_array, keys.Finish());
  PT_LET(auto position_array, positions.Finish());
  const auto schema = arrow::schema(
      {arrow::field("pt_key", arrow::utf8()), arrow::field("pt_position", arrow::int64())});
  const auto batch =
      arrow::RecordBatch::Make(schema, key_array->length(), {key_array, position_array});
  const BatchStreamPtr stream = MakeStream(schema, {batch});
  PT_LET(KeptTable table, KeptTable::Fill(database, *stream));
  std::string name = table.name();
  entries_.emplace(lookup.keys.get(), Entry{lookup.keys, std::move(table)});
  return name;
}

Result<std::string> NullColumns(const arrow::Schema& schema) {
  std::string list;
  for (const auto& field : schema.fields()) {
    PT_LET(const std::string type, TypeText(*field->type(), DuckDbDialect()));
    list += fmt::format("{}CAST(NULL AS {}) AS {}", list.empty() ? "" : ", ", type,
                        QuoteName(field->name(), DuckDbDialect()));
  }
  return list;
}

BatchStreamPtr HoldingStream(BatchStreamPtr stream, std::vector<KeptTable> held, Plan plan) {
  return std::make_unique<Holder>(std::move(stream), std::move(held), std::move(plan));
}

}  // namespace protium
