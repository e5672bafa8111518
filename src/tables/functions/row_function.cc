// SPDX-License-Identifier: Apache-2.0
#include "functions/row_function.h"

#include <fmt/format.h>

namespace protium {
namespace {

using ScalarFunction = duck::Owned<duckdb_scalar_function, duckdb_destroy_scalar_function>;

// DuckDB copies what is set here; the function object may be destroyed after registration.
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

// Hides the function behind a macro of its name that passes repeat(x, 1) for each argument that can
// make it fail. DuckDB's C API cannot declare that a function may fail; what DuckDB declares for
// repeat() applies to the call around it. For a constant, repeat() is constant.
Status DeclareFailing(const duck::Connection& connection, const RowFunction& given) {
  std::string parameters, arguments;
  const size_t count = given.parameters().size();
  for (size_t i = 0; i < count; ++i) {
    const std::string name = fmt::format("x{}", i);
    const char* const comma = i == 0 ? "" : ", ";
    const bool failing = (given.failing >> i & 1) != 0;
    parameters += comma + name;
    arguments += comma + (failing ? "system.main.repeat(" + name + ", 1)" : name);
  }
  return duck::Do(connection, fmt::format("CREATE MACRO {0}({1}) AS system.main.{0}({2})",
                                          given.name, parameters, arguments));
}

}  // namespace

void cells::SetNull(duckdb_vector vector, idx_t row) {
  duckdb_vector_ensure_validity_writable(vector);
  duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
}

Status RegisterRowFunctions(const duck::Connection& connection,
                            std::span<const RowFunction> functions) {
  for (const RowFunction& function : functions) {
    PT_TRY(Register(connection, function));
    if (function.failing != 0) PT_TRY(DeclareFailing(connection, function));
  }
  return Status::OK();
}

}  // namespace protium
