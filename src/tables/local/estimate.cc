// SPDX-License-Identifier: Apache-2.0
#include "local/estimate.h"

#include <memory>

namespace protium {
namespace {

using Function = duck::Owned<duckdb_table_function, duckdb_destroy_table_function>;
using Value = duck::Owned<duckdb_value, duckdb_destroy_value>;

struct DuckFree {
  void operator()(char* text) const { duckdb_free(text); }
};

void Bind(duckdb_bind_info info) {
  const Value rows(duckdb_bind_get_parameter(info, 0));
  const Value columns(duckdb_bind_get_parameter(info, 1));
  // Borrowed from the value; must not be destroyed.
  const duckdb_logical_type table = duckdb_get_value_type(columns.get());
  if (duckdb_get_type_id(table) != DUCKDB_TYPE_STRUCT || duckdb_get_int64(rows.get()) < 0) {
    duckdb_bind_set_error(info, "pt_estimate takes a number of rows and a struct of columns");
    return;
  }
  for (idx_t i = 0; i < duckdb_struct_type_child_count(table); ++i) {
    const std::unique_ptr<char, DuckFree> name(duckdb_struct_type_child_name(table, i));
    const duck::Type type(duckdb_struct_type_child_type(table, i));
    duckdb_bind_add_result_column(info, name.get(), type.get());
  }
  duckdb_bind_set_cardinality(info, static_cast<idx_t>(duckdb_get_int64(rows.get())), false);
}

// One thread is enough for an empty table.
void Start(duckdb_init_info info) { duckdb_init_set_max_threads(info, 1); }

void GiveNothing(duckdb_function_info, duckdb_data_chunk rows) {
  duckdb_data_chunk_set_size(rows, 0);
}

}  // namespace

Status RegisterEstimate(const duck::Connection& connection) {
  const Function function(duckdb_create_table_function());
  const duck::Type rows(duckdb_create_logical_type(DUCKDB_TYPE_BIGINT));
  // ANY, since the struct's fields differ for every table.
  const duck::Type columns(duckdb_create_logical_type(DUCKDB_TYPE_ANY));
  duckdb_table_function_set_name(function.get(), "pt_estimate");
  duckdb_table_function_add_parameter(function.get(), rows.get());
  duckdb_table_function_add_parameter(function.get(), columns.get());
  duckdb_table_function_set_bind(function.get(), Bind);
  duckdb_table_function_set_init(function.get(), Start);
  duckdb_table_function_set_function(function.get(), GiveNothing);
  duckdb_table_function_supports_projection_pushdown(function.get(), true);
  if (duckdb_register_table_function(connection.get(), function.get()) == DuckDBSuccess) {
    return Status::OK();
  }
  return Status::UnknownError("cannot register the function pt_estimate");
}

}  // namespace protium
