// SPDX-License-Identifier: Apache-2.0
#include "local/given_rows.h"

#include <arrow/api.h>
#include <arrow/c/bridge.h>

#include <algorithm>
#include <utility>

#include "local/kept_tables.h"

namespace protium {
namespace {

using Function = duck::Owned<duckdb_table_function, duckdb_destroy_table_function>;

void Bind(duckdb_bind_info info) {
  const duck::Value number(duckdb_bind_get_parameter(info, 0));
  auto& tables = *static_cast<GivenTables*>(duckdb_bind_get_extra_info(info));
  GivenTable* const table = tables.Find(duckdb_get_int64(number.get()));
  if (table == nullptr) {
    duckdb_bind_set_error(info, "pt_given takes the number of a table");
    return;
  }
  table->Describe(info);
  // The query does not free it: it belongs to `tables`.
  duckdb_bind_set_bind_data(info, table, nullptr);
}

// Rows are given in order, so by one thread.
void Start(duckdb_init_info info) { duckdb_init_set_max_threads(info, 1); }

void Give(duckdb_function_info info, duckdb_data_chunk to) {
  auto& table = *static_cast<GivenTable*>(duckdb_function_get_bind_data(info));
  const Status given = table.Give(to);
  if (!given.ok()) duckdb_function_set_error(info, given.message().c_str());
}

}  // namespace

Result<std::unique_ptr<GivenTable>> GivenTable::Make(const duck::Connection& connection,
                                                     std::shared_ptr<arrow::Schema> schema) {
  auto table = std::unique_ptr<GivenTable>(new GivenTable(connection));
  // The types are those that the database itself gives such columns.
  PT_LET(const std::string columns, NullColumns(*schema));
  PT_LET(const duck::Prepared described, duck::Prepare(connection, "SELECT " + columns));
  table->columns_ = duck::DescribeColumns(described);
  ArrowSchema exported{};
  PT_TRY(arrow::ExportSchema(*schema, &exported));
  const Status status = duck::TakeError(
      duckdb_schema_from_arrow(connection.get(), &exported, table->arrow_columns_.out()));
  // The receiver of an exported structure sets `release` to null (Arrow's C data interface).
  if (exported.release != nullptr) exported.release(&exported);
  PT_TRY(status);
  return table;
}

void GivenTable::Show(std::shared_ptr<arrow::RecordBatch> rows) {
  rows_ = std::move(rows);
  at_ = 0;
}

void GivenTable::Clear() {
  given_.clear();
  rows_.reset();
}

void GivenTable::Describe(duckdb_bind_info info) const {
  for (const duck::Column& column : columns_) {
    duckdb_bind_add_result_column(info, column.name.c_str(), column.type.get());
  }
}

// A chunk without rows signals the end.
Status GivenTable::Give(duckdb_data_chunk to) {
  const int64_t most = rows_ == nullptr ? 0 : rows_->num_rows() - at_;
  const int64_t rows = std::min(most, static_cast<int64_t>(duckdb_vector_size()));
  duckdb_data_chunk_set_size(to, static_cast<idx_t>(rows));
  if (rows == 0) return Status::OK();
  ArrowArray exported{};
  PT_TRY(arrow::ExportRecordBatch(*rows_->Slice(at_, rows), &exported));
  // Stored until Clear(), since `to` only refers to its vectors.
  duck::Chunk& chunk = given_.emplace_back();
  const Status status = duck::TakeError(duckdb_data_chunk_from_arrow(
      connection_.get(), &exported, arrow_columns_.get(), chunk.out()));
  if (exported.release != nullptr) exported.release(&exported);
  PT_TRY(status);
  for (idx_t i = 0; i < columns_.size(); ++i) {
    duckdb_vector_reference_vector(duckdb_data_chunk_get_vector(to, i),
                                   duckdb_data_chunk_get_vector(chunk.get(), i));
  }
  at_ += rows;
  return Status::OK();
}

int64_t GivenTables::Add(std::unique_ptr<GivenTable> table) {
  const std::lock_guard lock(mutex_);
  tables_[++last_] = std::move(table);
  return last_;
}

GivenTable* GivenTables::Find(int64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(number);
  return found == tables_.end() ? nullptr : found->second.get();
}

void GivenTables::Remove(int64_t number) {
  const std::lock_guard lock(mutex_);
  tables_.erase(number);
}

Status RegisterGivenRows(const duck::Connection& connection, GivenTables& tables) {
  const Function function(duckdb_create_table_function());
  const duck::Type number(duckdb_create_logical_type(DUCKDB_TYPE_BIGINT));
  duckdb_table_function_set_name(function.get(), "pt_given");
  duckdb_table_function_add_parameter(function.get(), number.get());
  duckdb_table_function_set_extra_info(function.get(), &tables, nullptr);
  duckdb_table_function_set_bind(function.get(), Bind);
  duckdb_table_function_set_init(function.get(), Start);
  duckdb_table_function_set_function(function.get(), Give);
  if (duckdb_register_table_function(connection.get(), function.get()) == DuckDBSuccess) {
    return Status::OK();
  }
  return Status::UnknownError("cannot register the function pt_given");
}

}  // namespace protium
