// SPDX-License-Identifier: Apache-2.0
#include "local/duckdb/query.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "base/fault.h"
#include "engine/result_columns.h"
#include "local/duckdb/chunk_batches.h"
#include "local/duckdb/fault.h"
#include "protium/events.h"
#include "sql/dialect.h"

namespace protium {

using duck::Column;
using duck::Connection;

namespace {

// Of progress, and of repeated interrupts.
constexpr auto kTick = std::chrono::milliseconds(500);

// As JSON: the bytes that all queries and tables hold, and those of them that were spilled. Asked
// over `beside`, since the query's own connection is busy.
constexpr const char* kHeld =
    "SELECT '{\"held\": ' || sum(memory_usage_bytes + temporary_storage_bytes) || "
    "', \"spilled\": ' || sum(temporary_storage_bytes) || '}' FROM duckdb_memory()";

// For fmt::format, which takes a brace for a place.
std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped.append(c == '{' || c == '}' ? 2 : 1, c);
  return escaped;
}

// What makes a value one of a type that our tables carry (engine/result_columns.h), {} being the
// value: "" if it is one already, nothing if there is no way. `name` is the column's.
std::optional<std::string> FindConversion(duckdb_logical_type type, const std::string& name);

// Items are converted one by one; each level of nesting has a parameter of its own.
std::optional<std::string> FindItemConversion(duckdb_logical_type list, const std::string& name) {
  const duck::Type items(duckdb_list_type_child_type(list));
  const std::optional<std::string> item = FindConversion(items.get(), name);
  if (!item || item->empty()) return item;
  const std::string parameter = fmt::format("pt_item_{}", item->size());
  const std::string converted = fmt::format(fmt::runtime(*item), parameter);
  return "list_transform({}, lambda " + parameter + ": " + Escaped(converted) + ")";
}

// Structs and maps are carried where all in them is: they are not taken apart.
std::optional<std::string> FindPartsConversion(duckdb_logical_type type, const std::string& name) {
  std::vector<duck::Type> parts;
  if (duckdb_get_type_id(type) == DUCKDB_TYPE_MAP) {
    parts.emplace_back(duckdb_map_type_key_type(type));
    parts.emplace_back(duckdb_map_type_value_type(type));
  } else {
    for (idx_t i = 0; i < duckdb_struct_type_child_count(type); ++i) {
      parts.emplace_back(duckdb_struct_type_child_type(type, i));
    }
  }
  for (const duck::Type& part : parts) {
    if (FindConversion(part.get(), name) != "") return std::nullopt;
  }
  return "";
}

std::optional<std::string> FindConversion(duckdb_logical_type type, const std::string& name) {
  switch (duckdb_get_type_id(type)) {
    case DUCKDB_TYPE_BOOLEAN:
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE:
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_BLOB:
    case DUCKDB_TYPE_DATE:
    case DUCKDB_TYPE_DECIMAL:
    case DUCKDB_TYPE_TIMESTAMP:
      return "";
    case DUCKDB_TYPE_LIST:
      return FindItemConversion(type, name);
    case DUCKDB_TYPE_MAP:
    case DUCKDB_TYPE_STRUCT:
      return FindPartsConversion(type, name);
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UHUGEINT:
      return "pt_narrow_column({}, " + Escaped(QuoteText(name, DuckDbDialect())) + ")";
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return "pt_micros_column({}, " + Escaped(QuoteText(name, DuckDbDialect())) + ")";
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return "CAST({} AS TIMESTAMP)";
    case DUCKDB_TYPE_ENUM:
    case DUCKDB_TYPE_UUID:
    case DUCKDB_TYPE_SQLNULL:
      return "CAST({} AS VARCHAR)";
    default:
      return std::nullopt;
  }
}

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
        // NULL means the end and an error alike; only the error's text tells them apart.
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
    // Marked as deprecated in DuckDB's C API, and so used in this one place only.
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

  // Freed in reverse: the watch ends and the answer goes before the connection.
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
    // Again with every tick: an interrupt that comes between two statements of the connection has
    // no effect on the next.
    if (late_ || call_.stop.stop_requested()) duckdb_interrupt(connection_);
    TellHowFar();
  }
}

void QueryWatch::TellHowFar() {
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

Result<std::string> WithPlainTypes(const Connection& connection, const std::string& select) {
  PT_LET(const duck::Prepared prepared, duck::Prepare(connection, select));
  std::vector<ResultColumn> columns;
  for (const Column& column : duck::DescribeColumns(prepared)) {
    const auto conversion = FindConversion(column.type.get(), column.name);
    if (!conversion) {
      return Fail({.exit = Exit::kUsage,
                   .what = "column \"" + column.name + "\" has a type that tables do not support",
                   .fix = "cast it in the SQL, to a number or to text"});
    }
    columns.push_back({column.name, QuoteName(column.name, DuckDbDialect()), *conversion});
  }
  PT_LET(const std::string list, ConvertedColumns(columns));
  return list.empty() ? select : "SELECT " + list + " FROM (" + select + ")";
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
