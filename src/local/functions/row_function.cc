// SPDX-License-Identifier: Apache-2.0
#include "local/functions/row_function.h"

namespace protium {
namespace {

using ScalarFunction = duck::Owned<duckdb_scalar_function, duckdb_destroy_scalar_function>;

// DuckDB copies what is set here; the function object may go after it was registered.
Status Register(const duck::Connection& connection, const RowFunction& given) {
  const ScalarFunction function(duckdb_create_scalar_function());
  duckdb_scalar_function_set_name(function.get(), given.name);
  for (const duck::Type& type : given.parameters()) {
    duckdb_scalar_function_add_parameter(function.get(), type.get());
  }
  duckdb_scalar_function_set_return_type(function.get(), given.type().get());
  duckdb_scalar_function_set_function(function.get(), given.run);
  if (duckdb_register_scalar_function(connection.get(), function.get()) == DuckDBSuccess) {
    return Status::OK();
  }
  return Status::UnknownError("cannot register the function ", given.name);
}

}  // namespace

void cells::SetNull(duckdb_vector vector, idx_t row) {
  duckdb_vector_ensure_validity_writable(vector);
  duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
}

Status RegisterRowFunctions(const duck::Connection& connection,
                            std::span<const RowFunction> functions) {
  for (const RowFunction& function : functions) PT_TRY(Register(connection, function));
  return Status::OK();
}

}  // namespace protium
