// SPDX-License-Identifier: Apache-2.0
#include "spark/sources/delta_merge.h"

#include <arrow/api.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/fault.h"
#include "connect/types.h"
#include "engine/key_faults.h"
#include "spark/ship/tables.h"
#include "spark/sources/delta.h"
#include "spark/sources/table_read.h"

namespace protium {
namespace {

// Each try that fails is another writer's commit.
constexpr int kMostTries = 10;

constexpr const char* kAppId = "spark.databricks.delta.write.txnAppId";
constexpr const char* kVersion = "spark.databricks.delta.write.txnVersion";

std::vector<std::string> Names(const Store& store) {
  std::vector<std::string> names;
  for (const std::string& key : store.keys) names.push_back(connect::SparkName(key));
  return names;
}

std::string MergeText(const Store& store, const std::string& rows) {
  std::string same;
  for (const std::string& name : Names(store)) {
    same += fmt::format("{0}t.{1} = s.{1}", same.empty() ? "" : " AND ", name);
  }
  return fmt::format(
      "MERGE INTO delta.{} t USING {} s ON {} WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN "
      "INSERT *",
      connect::SparkName(FileUri(store.target.file)), rows, same);
}

bool WasSlower(const Status& status) {
  if (status.ok()) return false;
  const Fault said = FaultOf(status);
  return (said.what + said.why).find("DELTA_CONCURRENT") != std::string::npos;
}

Status Reset(SparkSession& session, const Call& call) {
  for (const char* const key : {kAppId, kVersion}) {
    PT_TRY(session.Command(connect::SqlCommand(std::string("RESET ") + key), {.name = ""}, call)
               .status());
  }
  return Status::OK();
}

}  // namespace

Status MergeIntoDelta(SparkSession& session, const connect::Relation& rows, const Store& store,
                      const std::string& transaction, const ExecuteOptions& options,
                      const Call& call) {
  constexpr const char* kRows = "pt_upserted";
  PT_TRY(session.SetConf({{kAppId, transaction}, {kVersion, "1"}}, call));
  Status merged = Status::OK();
  for (int i = 0; i < kMostTries; ++i) {
    const auto merge = connect::SqlCommand(MergeText(store, kRows), {{kRows, rows}});
    merged = session.Command(merge, options, call).status();
    if (!WasSlower(merged)) break;
  }
  const Status reset = Reset(session, call);
  PT_TRY(merged);
  return reset;
}

Status CheckUpsertKeys(SparkSession& session, const connect::Relation& rows, const Store& store,
                       const Call& call) {
  const std::vector<std::string> names = Names(store);
  for (size_t i = 0; i < names.size(); ++i) {
    const connect::Relation without = connect::Project(connect::Filter(rows, names[i] + " IS NULL"),
                                                       {"CAST(count(1) AS STRING)"});
    PT_LET(const std::string nulls, AskText(session, without, call));
    if (nulls != "0") return RefuseNullKeys(store, store.keys[i], nulls);
  }
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back("CAST(" + name + " AS STRING)");
  const connect::Relation twice = connect::Sql(
      fmt::format(
          "SELECT '=' || concat_ws(', ', {}) FROM pt_rows GROUP BY {} HAVING count(1) > 1 LIMIT 1",
          fmt::join(texts, ", "), fmt::join(names, ", ")),
      {{"pt_rows", rows}});
  PT_LET(const std::string values, AskText(session, twice, call));
  // Behind a sign that tells an empty key from none.
  return values.empty() ? Status::OK() : RefuseEqualKeys(store, values.substr(1));
}

Result<std::string> HashOfRows(SparkSession& session, const connect::Relation& rows,
                               const arrow::Schema& schema, const Call& call) {
  std::vector<std::string> names;
  for (const auto& field : schema.fields()) names.push_back(connect::SparkName(field->name()));
  const std::string sum = fmt::format("CAST(sum(CAST(xxhash64({}) AS DECIMAL(38, 0))) AS STRING)",
                                      fmt::join(names, ", "));
  return AskText(session, connect::Project(rows, {sum}), call);
}

}  // namespace protium
