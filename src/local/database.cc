// SPDX-License-Identifier: Apache-2.0
#include "local/database.h"

#include <fmt/format.h>

#include "base/fault.h"
#include "local/decimal_functions.h"
#include "local/scalar_functions.h"
#include "sql/prelude.h"

namespace protium {
namespace {

using Opened = Result<std::shared_ptr<duck::Database>>;

Status Set(const duck::Config& config, const char* name, const std::string& value) {
  if (duckdb_set_config(config.get(), name, value.c_str()) == DuckDBSuccess) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the embedded engine does not take {} = \"{}\"", name, value)});
}

Status Configure(const DatabaseOptions& options, duck::Config& config) {
  if (duckdb_create_config(config.out()) == DuckDBError) {
    return Status::OutOfMemory("no memory for the embedded engine");
  }
  if (options.memory_bytes > 0) {
    PT_TRY(Set(config, "memory_limit", fmt::format("{}B", options.memory_bytes)));
  }
  if (options.threads > 0) PT_TRY(Set(config, "threads", std::to_string(options.threads)));
  return Set(config, "temp_directory", options.spill);
}

Status Prepare(const duck::Database& database) {
  PT_LET(const duck::Connection connection, duck::Connect(database));
  for (const std::string_view setting : DuckDbSettings()) {
    PT_TRY(duck::Do(connection, std::string(setting)));
  }
  PT_TRY(RegisterScalarFunctions(connection));
  PT_TRY(RegisterDecimalFunctions(connection));
  PT_TRY(duck::Do(connection, "BEGIN"));
  for (const Macro& macro : DuckDbMacros()) {
    PT_TRY(duck::Do(connection, fmt::format("CREATE MACRO \"{}\"{}", macro.name, macro.body)));
  }
  return duck::Do(connection, "COMMIT");
}

Opened Open(const DatabaseOptions& options) {
  duck::Config config;
  PT_TRY(Configure(options, config));
  auto database = std::make_shared<duck::Database>();
  char* error = nullptr;
  if (duckdb_open_ext(nullptr, database->out(), config.get(), &error) == DuckDBError) {
    const std::string text = error == nullptr ? "no reason given" : error;
    duckdb_free(error);
    return Fail({.exit = Exit::kEnvironment, .what = "cannot open the embedded engine: " + text});
  }
  PT_TRY(Prepare(*database));
  return database;
}

}  // namespace

Database::Database(DatabaseOptions options)
    : opened_(std::async(std::launch::async, Open, std::move(options)).share()) {}

Result<duck::Connection> Database::Connect() const {
  const Opened& opened = opened_.get();
  PT_TRY(opened);
  PT_LET(duck::Connection connection, duck::Connect(**opened));
  for (const std::string_view setting : DuckDbConnectionSettings()) {
    PT_TRY(duck::Do(connection, std::string(setting)));
  }
  return connection;
}

}  // namespace protium
