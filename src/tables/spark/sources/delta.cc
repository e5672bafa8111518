// SPDX-License-Identifier: Apache-2.0
#include "spark/sources/delta.h"

#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "base/mentions.h"
#include "connect/types.h"
#include "protium/events.h"
#include "sources/source.h"
#include "spark/ship/tables.h"
#include "spark/sources/delta_merge.h"
#include "spark/sources/store_keys.h"
#include "spark/sources/table_read.h"

namespace protium {
namespace {

constexpr const char* kLines =
    "start the server with --conf spark.jars.packages=io.delta:delta-spark_2.13:4.0.0, in the "
    "version that fits its Spark, --conf "
    "spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension and --conf "
    "spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog";

// The log knows a transaction by the application's name and the number of its version: of a run and
// an output there is one.
std::string Transaction(const Store& store) { return "protium " + store.run + " " + store.output; }

}  // namespace

Status DeltaFault(const Source& source, const Status& status) {
  if (status.ok()) return status;
  const Status store = StoreFault(source, status);
  Fault said = FaultOf(store);
  const std::string text = said.what + "\n" + said.why;
  if (Mentions(text, {"DATA_SOURCE_NOT_FOUND", "PARSE_SYNTAX_ERROR", "`HISTORY`"})) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = "the Spark server has no reader of Delta tables",
                 .where = DescribeSource(source),
                 .fix = kLines});
  }
  if (Mentions(text,
               {"DELTA_TABLE_NOT_FOUND", "DELTA_MISSING_DELTA_TABLE", "DELTA_PATH_DOES_NOT_EXIST",
                "is not a Delta table", "DELTA_ONLY_OPERATION"})) {
    return Fail({.exit = Exit::kInput,
                 .what = "the folder " + source.file + " is not a Delta table",
                 .why = said.what,
                 .fix = "Spark reads the folder itself: its server and executors must reach it at "
                        "this path"});
  }
  said.where = DescribeSource(source);
  return Fail(std::move(said));
}

Result<std::string> AskText(SparkSession& session, const connect::Relation& relation,
                            const Call& call) {
  Call quiet = call;
  quiet.events = nullptr;
  PT_LET(const BatchStreamPtr stream, session.Execute(relation, {.name = ""}, quiet));
  PT_LET(const TextRows rows, TextsOf(*stream));
  return rows.empty() ? std::string() : rows[0][0].value_or("");
}

Result<connect::Relation> ReadDelta(SparkSession& session, const Source& source, const Call& call) {
  connect::Options options;
  if (source.version) options["versionAsOf"] = std::to_string(*source.version);
  if (!source.as_of.empty()) options["timestampAsOf"] = source.as_of;
  PT_LET(connect::Relation relation,
         connect::Read("delta", {FileUri(source.file)}, nullptr, std::move(options)));
  PT_TRY(DeltaFault(source, session.Schema(relation, call).status()));
  return relation;
}

Result<Source> PinDelta(SparkSession& session, const Source& source, const Call& call) {
  if (source.version) return source;
  connect::Relation history =
      connect::Sql("DESCRIBE HISTORY delta." + connect::SparkName(FileUri(source.file)));
  if (!source.as_of.empty()) {
    const std::string time = SqlText(source.as_of, true);
    history = connect::Filter(std::move(history), "timestamp <= CAST(" + time + " AS TIMESTAMP)");
  }
  history = connect::Project(std::move(history), {"CAST(max(version) AS STRING) AS version"});
  const Result<std::string> version = AskText(session, history, call);
  PT_TRY(DeltaFault(source, version.status()));
  if (version->empty()) {
    return Fail({.exit = Exit::kInput,
                 .what = "the Delta table had no version at " + source.as_of,
                 .where = DescribeSource(source),
                 .fix = "a later timestamp"});
  }
  Source pinned = source;
  pinned.as_of.clear();
  pinned.version = NumberIn(*version);
  return pinned;
}

Result<int64_t> StoreInDelta(SparkSession& session, const SparkTable& rows, const Store& store,
                             ExecuteOptions options, const Call& call) {
  connect::WriteSpec spec{
      .format = "delta", .path = FileUri(store.target.file), .mode = connect::SaveMode::kReplace};
  // Replacing gives the same however often it is done, and a run may have learned more since.
  if (store.mode == StoreMode::kAppend) {
    spec.mode = connect::SaveMode::kAppend;
    spec.options = {{"txnAppId", Transaction(store)}, {"txnVersion", "1"}};
  }
  const auto written = WriteCounted(session, rows, spec, std::move(options), call);
  PT_TRY(DeltaFault(store.target, written.status()));
  if (!written->has_value()) call.Send(Note{"these rows are in the table already"});
  return written->value_or(0);
}

// The first rows of a table are appended, with the same name of the transaction.
Result<int64_t> UpsertInDelta(SparkSession& session, const WrittenRows& rows, const Store& store,
                              ExecuteOptions options, const Call& call) {
  PT_TRY(CheckUpsertKeys(session, rows.relation, store, call));
  PT_LET(const std::string hash, HashOfRows(session, rows.relation, *rows.schema, call));
  const std::string transaction = Transaction(store) + " rows " + hash;
  const Status there = PinDelta(session, store.target, call).status();
  if (there.ok()) {
    const Status merged =
        MergeIntoDelta(session, rows.relation, store, transaction, std::move(options), call);
    PT_TRY(DeltaFault(store.target, merged));
    return rows.files.rows;
  }
  if (FaultOf(there).exit != Exit::kInput) return there;
  const connect::WriteSpec spec{.format = "delta",
                                .path = FileUri(store.target.file),
                                .mode = connect::SaveMode::kAppend,
                                .options = {{"txnAppId", transaction}, {"txnVersion", "1"}}};
  const SparkTable table{.relation = rows.relation, .schema = rows.schema};
  const auto written = WriteCounted(session, table, spec, std::move(options), call);
  PT_TRY(DeltaFault(store.target, written.status()));
  return rows.files.rows;
}

}  // namespace protium
