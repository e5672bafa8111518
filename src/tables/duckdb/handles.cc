// SPDX-License-Identifier: Apache-2.0
#include "duckdb/handles.h"

#include <arrow/api.h>
#include <arrow/c/bridge.h>

#include "duckdb/fault.h"

// Errors are read from the handle that failed, so the calls fill it in even when they fail; the
// handles' destructors free it.

namespace protium::duck {

Result<Connection> Connect(const Database& database) {
  Connection connection;
  if (duckdb_connect(database.get(), connection.out()) == DuckDBError) {
    return Status::UnknownError("cannot connect to the embedded database");
  }
  return connection;
}

Status Do(const Connection& connection, const std::string& sql) {
  Answer answer;
  if (duckdb_query(connection.get(), sql.c_str(), answer.out()) == DuckDBSuccess) {
    return Status::OK();
  }
  return DuckDbFault(duckdb_result_error(answer.out()), duckdb_result_error_type(answer.out()));
}

Result<std::string> AskText(const Connection& connection, const std::string& sql, int column) {
  Answer answer;
  if (duckdb_query(connection.get(), sql.c_str(), answer.out()) == DuckDBError) {
    return DuckDbFault(duckdb_result_error(answer.out()), duckdb_result_error_type(answer.out()));
  }
  const Chunk chunk(duckdb_fetch_chunk(*answer.out()));
  if (chunk.get() == nullptr || duckdb_data_chunk_get_size(chunk.get()) == 0 ||
      duckdb_column_type(answer.out(), idx_t(column)) != DUCKDB_TYPE_VARCHAR) {
    return Status::UnknownError("the embedded database gave no text");
  }
  const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk.get(), idx_t(column));
  return std::string(ViewText(*static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector))));
}

Result<Prepared> Prepare(const Connection& connection, const std::string& sql) {
  Prepared prepared;
  if (duckdb_prepare(connection.get(), sql.c_str(), prepared.out()) == DuckDBSuccess) {
    return prepared;
  }
  const char* const error = duckdb_prepare_error(prepared.get());
  return DuckDbFault(error == nullptr ? "cannot prepare" : error, DUCKDB_ERROR_INVALID);
}

std::vector<Column> DescribeColumns(const Prepared& prepared) {
  std::vector<Column> columns;
  const idx_t count = duckdb_prepared_statement_column_count(prepared.get());
  for (idx_t i = 0; i < count; ++i) {
    const char* const name = duckdb_prepared_statement_column_name(prepared.get(), i);
    columns.push_back(
        {name, Type(duckdb_prepared_statement_column_logical_type(prepared.get(), i))});
    // Names are copies that belong to the caller.
    duckdb_free(const_cast<char*>(name));
  }
  return columns;
}

Result<std::shared_ptr<arrow::Schema>> ToArrow(const Connection& connection,
                                               const std::vector<Column>& columns) {
  ArrowOptions options;
  duckdb_connection_get_arrow_options(connection.get(), options.out());
  std::vector<duckdb_logical_type> types;
  std::vector<const char*> names;
  for (const Column& column : columns) {
    types.push_back(column.type.get());
    names.push_back(column.name.c_str());
  }
  ArrowSchema schema{};
  PT_TRY(TakeError(
      duckdb_to_arrow_schema(options.get(), types.data(), names.data(), types.size(), &schema)));
  // Takes over what the exported schema owns, whether it succeeds or not.
  return arrow::ImportSchema(&schema);
}

Status TakeError(duckdb_error_data error) {
  if (error == nullptr) return Status::OK();
  Status status;
  if (duckdb_error_data_has_error(error)) {
    status = DuckDbFault(duckdb_error_data_message(error), duckdb_error_data_error_type(error));
  }
  duckdb_destroy_error_data(&error);
  return status;
}

}  // namespace protium::duck
