// SPDX-License-Identifier: Apache-2.0
#include "duckdb/query.h"

#include "base/fault.h"
#include "duckdb/chunk_batches.h"
#include "duckdb/fault.h"
#include "protium/events.h"

namespace protium {

using duck::Connection;

namespace {

// The interval of progress and of repeated interrupts.
constexpr auto kTick = std::chrono::milliseconds(500);

// As JSON: the bytes that all queries and tables use, and how many of them were spilled. Asked over
// `beside`, since the query's own connection is busy.
constexpr const char* kHeld =
    "SELECT '{\"held\": ' || sum(memory_usage_bytes + temporary_storage_bytes) || "
    "', \"spilled\": ' || sum(temporary_storage_bytes) || '}' FROM duckdb_memory()";

// One streaming result: the query runs while its chunks are fetched.
class QueryStream : public BatchStream {
 public:
  QueryStream(Connection connection, const Call& call, std::string name)
      : connection_(std::move(connection)), watch_(connection_, call, std::move(name)) {}

  // A query can be interrupted while it is prepared, too.
  Status Start(const std::string& select) { return watch_.Explain(Submit(select)); }

  const SchemaPtr& schema() const override { return schema_; }

  Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    while (!ended_ && !batches_->full()) {
      const duck::Chunk chunk(duckdb_fetch_chunk(*answer_.out()));
      if (chunk.get() == nullptr) {
        // NULL means either the end or an error; only the error's text distinguishes them.
        if (duckdb_result_error(answer_.out()) != nullptr) return watch_.Explain(Error());
        ended_ = true;
        break;
      }
      watch_.AddRows(int64_t(duckdb_data_chunk_get_size(chunk.get())));
      PT_TRY(batches_->Add(chunk.get()));
    }
    return batches_->Take();
  }

 private:
  Status Submit(const std::string& select) {
    PT_LET(prepared_, duck::Prepare(connection_, select));
    PT_LET(schema_, duck::ToArrow(connection_, duck::DescribeColumns(prepared_)));
    PT_LET(batches_, ChunkBatches::Make(schema_));
    // Deprecated in DuckDB's C API, and therefore used only here.
    duck::Pending pending;
    if (duckdb_pending_prepared_streaming(prepared_.get(), pending.out()) == DuckDBError) {
      return DuckDbFault(duckdb_pending_error(pending.get()), DUCKDB_ERROR_INVALID);
    }
    if (duckdb_execute_pending(pending.get(), answer_.out()) == DuckDBError) return Error();
    return Status::OK();
  }

  Status Error() {
    const char* const text = duckdb_result_error(answer_.out());
    return DuckDbFault(text == nullptr ? "the query failed" : text,
                       duckdb_result_error_type(answer_.out()));
  }

  // Destroyed in reverse: the watch ends and the result is freed before the connection.
  Connection connection_;
  duck::Prepared prepared_;
  duck::Answer answer_;
  SchemaPtr schema_;
  std::unique_ptr<ChunkBatches> batches_;
  bool ended_ = false;
  QueryWatch watch_;
};

}  // namespace

QueryWatch::QueryWatch(const Connection& connection, const Call& call, std::string name,
                       const Connection* beside)
    : connection_(connection.get()), call_(call), name_(std::move(name)), beside_(beside) {
  thread_ = std::jthread([this](const std::stop_token& ended) { Watch(ended); });
}

QueryWatch::~QueryWatch() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void QueryWatch::Watch(const std::stop_token& ended) {
  const std::stop_callback stopped(call_.stop, [this] { duckdb_interrupt(connection_); });
  std::unique_lock lock(mutex_);
  while (true) {
    const Deadline tick = Clock::now() + kTick;
    const Deadline until = late_ ? tick : std::min(call_.deadline, tick);
    ended_.wait_until(lock, ended, until, [] { return false; });
    if (ended.stop_requested()) return;
    if (Clock::now() >= call_.deadline) late_ = true;
    // Repeated with every tick: an interrupt between two statements of the connection has no effect
    // on the next.
    if (late_ || call_.stop.stop_requested()) duckdb_interrupt(connection_);
    ReportHowFar();
  }
}

void QueryWatch::ReportHowFar() {
  const double percent = duckdb_query_progress(connection_).percentage;
  EtlProgress event{.name = name_, .rows = rows_.load()};
  if (percent >= 0) event.percent = percent;
  if (beside_ != nullptr) {
    const auto held = duck::AskText(*beside_, kHeld);
    const Result<Json> sums = held.ok() ? ParseJson(*held) : held.status();
    if (sums.ok()) {
      event.held = sums->value("held", 0.0);
      event.spilled = sums->value("spilled", 0.0);
    }
  }
  call_.Send(event);
}

void QueryWatch::Finish(int64_t rows) {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  call_.Send(EtlProgress{.name = name_, .rows = rows, .percent = 100.0});
}

Status QueryWatch::Explain(const Status& status) const {
  if (!status.IsCancelled()) return status;
  if (!late_) return Status::Cancelled(name_, " was stopped");
  return Fail({.exit = Exit::kStalled, .what = name_ + " did not finish before its deadline"});
}

Result<SchemaPtr> DescribeSchema(const Connection& connection, const std::string& select) {
  PT_LET(const duck::Prepared prepared, duck::Prepare(connection, select));
  return duck::ToArrow(connection, duck::DescribeColumns(prepared));
}

Result<int64_t> RunStatement(const Connection& connection, const Connection& beside,
                             const std::string& sql, const Call& call, const std::string& name) {
  QueryWatch watch(connection, call, name, &beside);
  duck::Answer answer;
  if (duckdb_query(connection.get(), sql.c_str(), answer.out()) == DuckDBError) {
    return watch.Explain(
        DuckDbFault(duckdb_result_error(answer.out()), duckdb_result_error_type(answer.out())));
  }
  const duck::Chunk chunk(duckdb_fetch_chunk(*answer.out()));
  if (chunk.get() == nullptr || duckdb_data_chunk_get_size(chunk.get()) == 0 ||
      duckdb_column_type(answer.out(), 0) != DUCKDB_TYPE_BIGINT) {
    return 0;
  }
  const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk.get(), 0);
  const int64_t rows = *static_cast<int64_t*>(duckdb_vector_get_data(vector));
  watch.Finish(rows);
  return rows;
}

Result<BatchStreamPtr> StreamQuery(Connection connection, const std::string& select,
                                   const Call& call, const std::string& name) {
  auto stream = std::make_unique<QueryStream>(std::move(connection), call, name);
  PT_TRY(stream->Start(select));
  return stream;
}

}  // namespace protium
