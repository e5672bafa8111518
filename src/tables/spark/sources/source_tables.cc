// SPDX-License-Identifier: Apache-2.0
#include "spark/sources/source_tables.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/fault.h"
#include "connect/types.h"
#include "plan/node.h"
#include "sources/password.h"
#include "sources/source.h"
#include "spark/sources/delta.h"
#include "spark/sources/lake_tables.h"
#include "spark/sources/table_read.h"

// A password is an option of the relation that reads the database, since Spark has no other place
// for it that a session may set. The relation is sent once, to make a view; the view's name is in
// all later plans. The server's log, page and event log show texts of plans, from which the session
// has passwords removed.

namespace protium {
namespace {

// The drivers' own choice is a thousand rows for each answer, or all of them in memory.
constexpr const char* kRowsPerAnswer = "10000";

Result<connect::Relation> Jdbc(connect::Options options) {
  options["fetchsize"] = kRowsPerAnswer;
  return connect::Read("jdbc", {}, nullptr, std::move(options));
}

// What the database's SELECT is, and the types in which Spark is to take its columns.
connect::Options ReadOptions(const TableRead& table) {
  std::string select, types;
  for (const ColumnRead& column : table.columns) {
    const std::string between = select.empty() ? "" : ", ";
    select += between + column.read;
    types += between + connect::SparkName(column.name) + " " + column.type;
  }
  connect::Options options = {
      {"dbtable", fmt::format("(SELECT {} FROM {}) pt", select, table.from)},
      {"customSchema", types}};
  if (table.parts < 2) return options;
  options["partitionColumn"] = table.key;
  options["lowerBound"] = std::to_string(table.first);
  options["upperBound"] = std::to_string(table.last);
  options["numPartitions"] = std::to_string(table.parts);
  return options;
}

std::vector<std::string> MadeColumns(const TableRead& table) {
  std::vector<std::string> made;
  bool any = false;
  for (const ColumnRead& column : table.columns) {
    const std::string name = connect::SparkName(column.name);
    any = any || !column.made.empty();
    made.push_back(
        column.made.empty() ? name : fmt::format(fmt::runtime(column.made), name) + " AS " + name);
  }
  return any ? made : std::vector<std::string>();
}

Result<TableRead> ColumnsOf(const Source& source, const AskedDatabase& database) {
  switch (source.kind) {
    case SourceKind::kPostgres:
      return ReadPostgres(source, database);
    case SourceKind::kMysql:
      return ReadMysql(source, database);
    default:
      return ReadSqlite(source, database);
  }
}

Status NotBySpark(const Source& source) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("the engine for Spark does not read tables of {}",
                                   RowOf(source.kind).title),
               .where = DescribeSource(source),
               .fix = "write the table as Parquet, or run on the embedded engine"});
}

// The view of a source, in the session.
std::string ViewOf(const Source& source) {
  return "pt_source_" + Sha256Hex(SourceKey(source)).substr(0, 16);
}

}  // namespace

Result<connect::Relation> SourceTables::Open(const Source& source, const Call& call) {
  const std::lock_guard lock(mutex_);
  const std::string key = SourceKey(source);
  if (const auto found = open_.find(key); found != open_.end()) return found->second;
  PT_TRY(CheckSource(source));
  PT_LET(connect::Relation relation, OpenNew(source, call));
  return open_.emplace(key, std::move(relation)).first->second;
}

Result<connect::Relation> SourceTables::OpenNew(const Source& source, const Call& call) {
  PT_TRY(keys_.Give(source, call));
  switch (source.kind) {
    case SourceKind::kDelta:
      return ReadDelta(session_, source, call);
    case SourceKind::kParquet:
    case SourceKind::kIceberg:
      return OpenLake(source, call);
    default:
      if (JdbcDriversFor(source.kind).empty()) return NotBySpark(source);
      return OpenDatabase(source, call);
  }
}

// The view keeps Spark from listing the files again for each plan.
Result<connect::Relation> SourceTables::OpenLake(const Source& source, const Call& call) {
  PT_LET(Engine* const embedded, embedded_.Open());
  PT_LET(const Source pinned, embedded->Pin(source, call));
  PT_LET(const SchemaPtr schema, embedded->Analyze(MakePlan(NamedTable{"t", pinned}), call));
  PT_LET(const connect::Relation relation, source.kind == SourceKind::kIceberg
                                               ? ReadIceberg(session_, pinned, *schema, call)
                                               : ReadObjects(session_, pinned, *schema, call));
  Call quiet = call;
  quiet.events = nullptr;
  return AsView(ViewOf(source), relation, quiet);
}

// The drivers are tried in turn: a class that is not there is told at once.
Result<connect::Relation> SourceTables::OpenDatabase(const Source& source, const Call& call) {
  PT_LET(const std::string password, ReadPassword(source.connection.password));
  if (!password.empty()) PT_TRY(HidePasswords(call));
  const std::vector<JdbcDriver> drivers = JdbcDriversFor(source.kind);
  for (const JdbcDriver& driver : drivers) {
    PT_LET(const connect::Options options, JdbcOptions(source, driver, password));
    auto relation = ReadWith(source, options, call);
    if (LacksDriver(relation.status())) continue;
    PT_TRY(WithoutPassword(JdbcFault(source, relation.status()), password));
    return relation;
  }
  return NoDriver(source, drivers);
}

Result<connect::Relation> SourceTables::ReadWith(const Source& source,
                                                 const connect::Options& options,
                                                 const Call& call) {
  // Spark's own events of these queries would look like steps of the job.
  Call quiet = call;
  quiet.events = nullptr;
  const auto asking = [&](const std::string& query) {
    connect::Options asked = options;
    asked["dbtable"] = Nested(query) + " pt";
    // Its driver says of no expression that it is a text.
    if (source.kind == SourceKind::kSqlite) asked["customSchema"] = "name STRING, type STRING";
    return Jdbc(std::move(asked));
  };
  const AskedDatabase database{.ask = [&](const std::string& query) -> Result<TextRows> {
                                 PT_LET(const connect::Relation relation, asking(query));
                                 PT_LET(const BatchStreamPtr rows,
                                        session_.Execute(relation, {.name = ""}, quiet));
                                 return TextsOf(*rows);
                               },
                               .describe = [&](const std::string& query) -> Result<SchemaPtr> {
                                 PT_LET(const connect::Relation relation, asking(query));
                                 return session_.Schema(relation, quiet);
                               }};
  PT_LET(const TableRead table, ColumnsOf(source, database));
  connect::Options reading = ReadOptions(table);
  reading.insert(options.begin(), options.end());
  PT_LET(connect::Relation relation, Jdbc(std::move(reading)));
  const std::vector<std::string> made = MadeColumns(table);
  if (!made.empty()) relation = connect::Project(std::move(relation), made);
  return AsView(ViewOf(source), relation, quiet);
}

Result<connect::Relation> SourceTables::AsView(const std::string& name,
                                               const connect::Relation& relation,
                                               const Call& call) {
  PT_TRY(session_.Command(connect::CreateView(relation, name), {.name = ""}, call).status());
  return connect::Table(name);
}

// What the server's owner has set stays.
Status SourceTables::HidePasswords(const Call& call) {
  static const std::string kKey = "spark.sql.redaction.string.regex";
  if (hides_passwords_) return Status::OK();
  PT_LET(auto settings, session_.GetConf({kKey}, call));
  const std::string set = settings[kKey].value_or("");
  const std::string pattern = PasswordPattern();
  PT_TRY(session_.SetConf({{kKey, set.empty() ? pattern : set + "|" + pattern}}, call));
  hides_passwords_ = true;
  return Status::OK();
}

}  // namespace protium
