// SPDX-License-Identifier: Apache-2.0
#include "local/store_marks.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/fault.h"
#include "base/mentions.h"
#include "base/text.h"
#include "sources/source.h"
#include "sources/source_name.h"
#include "sql/duckdb/quoted.h"

namespace protium {
namespace {

constexpr std::string_view kBatch = "batch ";

std::string Qualified(const std::string& database, const std::vector<std::string>& parts) {
  std::string text = database;
  for (const std::string& part : parts) text += "." + DuckDbName(part);
  return text;
}

std::string MarksBeside(const std::string& database, const std::string& table) {
  std::vector<std::string> parts = NameParts(table);
  parts.back() = "protium_commits";
  return Qualified(database, parts);
}

std::string Of(const std::string& run, const std::string& output) {
  return " WHERE run = " + DuckDbText(run) + " AND output = " + DuckDbText(output);
}

constexpr const char* kRights =
    "grant the user the right to make tables in that schema, or name a schema where it has it: "
    "table = \"scores.late\"; or let somebody make the table and, beside it, protium_commits (run, "
    "output: text; row_count: bigint; committed: timestamp)";

// The server's reason, without the statement that DuckDB quotes before it.
std::string ServerWords(const std::string& what) {
  const size_t at = what.rfind("\": ");
  std::string_view words =
      at == what.npos ? std::string_view(what) : std::string_view(what).substr(at + 3);
  if (words.starts_with("ERROR:")) words.remove_prefix(6);
  return std::string(Trimmed(words));
}

}  // namespace

std::string QualifiedTable(const std::string& database, const std::string& table) {
  return Qualified(database, NameParts(table));
}

Status StoreFault(const Source& target, const Status& status) {
  if (status.ok()) return status;
  const Fault said = FaultOf(status);
  if (said.exit == Exit::kStopped) return status;
  const bool denied = Mentions(said.what, {"permission denied", "command denied"});
  return Fail({.exit = Exit::kRemote,
               .what = "the rows cannot be written",
               .where = DescribeSource(target),
               .why = ServerWords(said.what),
               .fix = denied ? kRights : "",
               .kept = "the table as it was"});
}

Status MakeTable(const duck::Connection& connection, const std::string& table,
                 const std::string& as) {
  if (duck::Do(connection, "SELECT 1 FROM " + table + " LIMIT 0").ok()) return Status::OK();
  return duck::Do(connection, "CREATE TABLE IF NOT EXISTS " + table + as);
}

StoreMarks::StoreMarks(const duck::Connection& connection, const std::string& database,
                       const std::string& table)
    : connection_(connection), table_(MarksBeside(database, table)) {}

Status StoreMarks::Make() const {
  return MakeTable(connection_, table_,
                   " (run VARCHAR, output VARCHAR, row_count BIGINT, committed TIMESTAMP)");
}

Result<std::optional<int64_t>> StoreMarks::RowsOf(const std::string& run,
                                                  const std::string& output) const {
  PT_LET(const std::string rows,
         duck::AskText(connection_, "SELECT coalesce(CAST(max(row_count) AS VARCHAR), '') FROM " +
                                        table_ + Of(run, output)));
  return AllAsNumber<int64_t>(rows);
}

Status StoreMarks::Remove(const std::string& run, const std::string& output) const {
  return duck::Do(connection_, "DELETE FROM " + table_ + Of(run, output));
}

Status StoreMarks::Add(const std::string& run, const std::string& output, int64_t rows) const {
  return duck::Do(connection_,
                  fmt::format("INSERT INTO {} VALUES ({}, {}, {}, CAST(now() AS TIMESTAMP))",
                              table_, DuckDbText(run), DuckDbText(output), rows));
}

Result<int64_t> StoreMarks::NewestBatch(const std::string& stream) const {
  PT_LET(const std::string text,
         duck::AskText(connection_, "SELECT coalesce(max(output), '') FROM " + table_ +
                                        " WHERE run = " + DuckDbText(stream)));
  if (text.empty()) return -1;
  const std::string_view name = text;
  const auto number =
      name.starts_with(kBatch) ? AllAsNumber<int64_t>(name.substr(kBatch.size())) : std::nullopt;
  if (number) return *number;
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("protium_commits says \"{}\" of stream {}", text, stream),
               .where = table_});
}

Status StoreMarks::SetNewestBatch(const std::string& stream, int64_t number, int64_t rows) const {
  PT_TRY(duck::Do(connection_, "DELETE FROM " + table_ + " WHERE run = " + DuckDbText(stream)));
  return Add(stream, std::string(kBatch) + std::to_string(number), rows);
}

}  // namespace protium
