// SPDX-License-Identifier: Apache-2.0
#include "local/database.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "functions/decimal_functions.h"
#include "functions/scalar_functions.h"
#include "local/estimate.h"
#include "local/key_place.h"
#include "local/part_side.h"
#include "sql/dialect.h"
#include "sql/duckdb/prelude.h"
#include "sql/duckdb/scan.h"

// Opens in this order: the configuration first, since memory, threads and the spill folder are
// fixed from then on; then DuckDB's own settings, our functions in C++, and the macros over them
// that have Spark's names.

namespace protium {
namespace {

Status Set(const duck::Config& config, const char* name, const std::string& value) {
  if (duckdb_set_config(config.get(), name, value.c_str()) == DuckDBSuccess) return Status::OK();
  return Fail(
      {.exit = Exit::kUsage,
       .what = fmt::format("the embedded engine does not accept {} = \"{}\"", name, value)});
}

Status Configure(const DatabaseOptions& options, duck::Config& config) {
  if (duckdb_create_config(config.out()) == DuckDBError) {
    return Status::OutOfMemory("no memory for the embedded engine");
  }
  if (options.memory_bytes > 0) {
    PT_TRY(Set(config, "memory_limit", fmt::format("{}B", options.memory_bytes)));
  }
  if (options.threads > 0) PT_TRY(Set(config, "threads", std::to_string(options.threads)));
  if (options.show_secrets) PT_TRY(Set(config, "allow_unredacted_secrets", "true"));
  return Set(config, "temp_directory", options.spill);
}

Status Prepare(const duck::Database& database) {
  PT_LET(const duck::Connection connection, duck::Connect(database));
  for (const std::string_view setting : DuckDbSettings()) {
    PT_TRY(duck::Do(connection, std::string(setting)));
  }
  PT_TRY(RegisterScalarFunctions(connection));
  PT_TRY(RegisterDecimalFunctions(connection));
  PT_TRY(RegisterEstimate(connection));
  PT_TRY(RegisterPartSide(connection));
  PT_TRY(RegisterKeyPlace(connection));
  PT_TRY(duck::Do(connection, "BEGIN"));
  for (const Macro& macro : DuckDbMacros()) {
    PT_TRY(duck::Do(connection, fmt::format("CREATE MACRO \"{}\"{}", macro.name, macro.body)));
  }
  return duck::Do(connection, "COMMIT");
}

Result<std::shared_ptr<duck::Database>> Open(const DatabaseOptions& options) {
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

// DuckDB compares the text of a path with this list, so it contains both the path and the pattern
// that a scan writes for it.
std::string FormatList(const std::set<std::string>& files, bool folders) {
  std::set<std::string> all;
  for (const std::string& file : files) {
    if (file.ends_with('/') == folders) all.insert({file, DuckDbPath(file)});
  }
  std::string list;
  for (const std::string& file : all) {
    list += (list.empty() ? "" : ", ") + QuoteText(file, DuckDbDialect());
  }
  return "[" + list + "]";
}

}  // namespace

std::shared_future<Database::Opened> Database::Begun() const {
  const std::lock_guard lock(opening_);
  if (!opened_.valid()) opened_ = std::async(std::launch::async, Open, options_).share();
  return opened_;
}

void Database::Warm() const { (void)Begun(); }

Result<duck::Connection> Database::Connect() const {
  const std::shared_future<Opened> begun = Begun();
  const Opened& opened = begun.get();
  PT_TRY(opened);
  PT_LET(duck::Connection connection, duck::Connect(**opened));
  PT_TRY(RunWaiting(connection));
  for (const std::string_view setting : DuckDbConnectionSettings()) {
    PT_TRY(duck::Do(connection, std::string(setting)));
  }
  return connection;
}

// Others that connect wait meanwhile.
Status Database::RunWaiting(const duck::Connection& connection) const {
  const std::lock_guard lock(opening_);
  while (!waiting_.empty()) {
    const Waiting& first = waiting_.front();
    const Status done = duck::Do(connection, first.sql);
    if (!done.ok() && !first.fix.empty()) {
      Fault fault = FaultOf(done);
      fault.fix = first.fix;
      return Fail(std::move(fault));
    }
    PT_TRY(done);
    waiting_.erase(waiting_.begin());
  }
  return Status::OK();
}

void Database::BeforeNext(std::string sql, std::string fix) const {
  const std::lock_guard lock(opening_);
  waiting_.push_back({std::move(sql), std::move(fix)});
}

bool Database::TakeBack(const std::string& sql) const {
  const std::lock_guard lock(opening_);
  return std::erase_if(waiting_, [&](const Waiting& each) { return each.sql == sql; }) > 0;
}

bool Database::Admit(const std::vector<std::string>& files, const std::vector<Source>& sources) {
  const std::lock_guard lock(mutex_);
  if (!locked_) {
    admitted_.insert(files.begin(), files.end());
    return true;
  }
  return std::ranges::all_of(
             files, [this](const std::string& file) { return admitted_.contains(file); }) &&
         std::ranges::all_of(sources,
                             [this](const Source& source) { return sources_.Has(source); });
}

Status Database::OpenSource(const Source& source) {
  const std::lock_guard lock(mutex_);
  if (sources_.Has(source)) return Status::OK();
  PT_LET(const duck::Connection connection, Connect());
  return sources_.Open(connection, source);
}

Status Database::OpenPlace(const Source& source) {
  const std::lock_guard lock(mutex_);
  PT_LET(const duck::Connection connection, Connect());
  return sources_.OpenPlace(connection, source);
}

Result<Source> Database::PinSource(const Source& source) {
  const std::lock_guard lock(mutex_);
  PT_LET(const duck::Connection connection, Connect());
  return sources_.Pin(connection, source);
}

bool Database::locked() {
  const std::lock_guard lock(mutex_);
  return locked_;
}

// After external access is switched off, DuckDB refuses changes to allowed_paths, and access cannot
// be restored. A database that nobody has opened is locked before its first connection is given
// out.
Status Database::Lock() {
  const std::lock_guard lock(mutex_);
  if (locked_) return Status::OK();
  BeforeNext("SET allowed_paths = " + FormatList(admitted_, false));
  BeforeNext("SET allowed_directories = " + FormatList(admitted_, true));
  BeforeNext("SET enable_external_access = false");
  locked_ = true;
  return IsOpen() ? Connect().status() : Status::OK();
}

bool Database::IsOpen() const {
  const std::lock_guard lock(opening_);
  return opened_.valid();
}

}  // namespace protium
