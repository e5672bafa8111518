// SPDX-License-Identifier: Apache-2.0
// DuckDB's C API with handles that free themselves and calls that return Result. duckdb/fault.h
// turns what DuckDB reports into faults.
#pragma once

#include <arrow/type_fwd.h>
#include <duckdb.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace protium::duck {

// A handle that is freed by `Free(&handle)`; DuckDB's functions accept a null one. A result must be
// destroyed before its connection: declare the connection first among members.
template <class Handle, auto Free>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { Free(&handle_); }
  Handle get() const { return handle_; }
  // Where a DuckDB call stores the handle.
  Handle* out() { return &handle_; }

 private:
  Handle handle_{};
};

using Database = Owned<duckdb_database, duckdb_close>;
using Connection = Owned<duckdb_connection, duckdb_disconnect>;
using Prepared = Owned<duckdb_prepared_statement, duckdb_destroy_prepare>;
using Pending = Owned<duckdb_pending_result, duckdb_destroy_pending>;
using Answer = Owned<duckdb_result, duckdb_destroy_result>;
using Chunk = Owned<duckdb_data_chunk, duckdb_destroy_data_chunk>;
using Type = Owned<duckdb_logical_type, duckdb_destroy_logical_type>;
using ArrowOptions = Owned<duckdb_arrow_options, duckdb_destroy_arrow_options>;
using ArrowColumns = Owned<duckdb_arrow_converted_schema, duckdb_destroy_arrow_converted_schema>;
using Appender = Owned<duckdb_appender, duckdb_appender_destroy>;
using Value = Owned<duckdb_value, duckdb_destroy_value>;
using Config = Owned<duckdb_config, duckdb_destroy_config>;

// A column of a result that has not run yet.
struct Column {
  std::string name;
  Type type;
};

// A view of the text without a copy. A short one (up to 12 bytes) is inside the value itself, which
// must outlive the view.
inline std::string_view ViewText(const duckdb_string_t& value) {
  constexpr uint32_t kMostInlined = sizeof value.value.inlined.inlined;
  const uint32_t length = value.value.inlined.length;
  return {length <= kMostInlined ? value.value.inlined.inlined : value.value.pointer.ptr, length};
}

// Makes a connection without any of our settings; see protium::Database.
Result<Connection> Connect(const Database& database);

// Runs a statement that returns nothing and takes no time, such as SET.
Status Do(const Connection& connection, const std::string& sql);

// Runs a query and returns the first cell of its result, which must be text.
Result<std::string> AskText(const Connection& connection, const std::string& sql, int column = 0);

// Parses, binds and plans without running; reports errors in the SQL.
Result<Prepared> Prepare(const Connection& connection, const std::string& sql);
// Names and types of the result; moves no data.
std::vector<Column> DescribeColumns(const Prepared& prepared);

// Returns the schema as DuckDB would export it to Arrow.
Result<std::shared_ptr<arrow::Schema>> ToArrow(const Connection& connection,
                                               const std::vector<Column>& columns);

// Returns the status of DuckDB's error data, which it frees; OK for null.
Status TakeError(duckdb_error_data error);

}  // namespace protium::duck
