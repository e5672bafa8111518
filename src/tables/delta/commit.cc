// SPDX-License-Identifier: Apache-2.0
#include "delta/commit.h"

#include <fmt/format.h>

#include "base/percent.h"

namespace protium {
namespace {

std::string Line(const char* action, Json contents) {
  return Dump(Json{{action, std::move(contents)}}) + "\n";
}

Json Parameters(StoreMode mode) {
  if (mode == StoreMode::kUpsert) return Json::object();
  return {{"mode", mode == StoreMode::kAppend ? "Append" : "Overwrite"}};
}

std::string Info(const DeltaCommit& commit) {
  int64_t rows = 0, bytes = 0;
  for (const LakeFile& file : commit.added) {
    rows += file.rows;
    bytes += file.bytes;
  }
  return Line("commitInfo", {{"timestamp", commit.millis},
                             {"operation", commit.mode == StoreMode::kUpsert ? "MERGE" : "WRITE"},
                             {"operationParameters", Parameters(commit.mode)},
                             {"operationMetrics",
                              {{"numFiles", std::to_string(commit.added.size())},
                               {"numOutputRows", std::to_string(rows)},
                               {"numOutputBytes", std::to_string(bytes)}}},
                             {"isBlindAppend", commit.mode == StoreMode::kAppend},
                             {"engineInfo", "Protium"},
                             {"txnId", commit.id}});
}

std::string Table(const DeltaCommit& commit) {
  return Line("protocol", {{"minReaderVersion", 1}, {"minWriterVersion", 2}}) +
         Line("metaData", {{"id", commit.id},
                           {"format", {{"provider", "parquet"}, {"options", Json::object()}}},
                           {"schemaString", Dump(*commit.created)},
                           {"partitionColumns", commit.partitions},
                           {"configuration", Json::object()},
                           {"createdTime", commit.millis}});
}

std::string Add(const LakeFile& file, int64_t millis) {
  Json statistics = file.statistics;
  statistics["numRecords"] = file.rows;
  return Line("add", {{"path", PercentEncoded(file.path, "/-._~=")},
                      {"partitionValues", file.partitions},
                      {"size", file.bytes},
                      {"modificationTime", millis},
                      {"dataChange", true},
                      {"stats", Dump(statistics)}});
}

// Names a file as the log does; of one whose rows are partly deleted, also what says which.
std::string Remove(const Json& file, int64_t millis) {
  Json removed = {{"path", TextAt(file, "path")},
                  {"deletionTimestamp", millis},
                  {"dataChange", true},
                  {"extendedFileMetadata", true}};
  for (const char* key : {"partitionValues", "size", "deletionVector"}) {
    if (file.contains(key) && !file[key].is_null()) removed[key] = file[key];
  }
  return Line("remove", std::move(removed));
}

}  // namespace

std::string CommitText(const DeltaCommit& commit) {
  std::string text = Info(commit);
  if (commit.created) text += Table(commit);
  text += Line("txn", {{"appId", commit.application},
                       {"version", commit.application_version},
                       {"lastUpdated", commit.millis}});
  for (const Json& file : commit.removed) text += Remove(file, commit.millis);
  for (const LakeFile& file : commit.added) text += Add(file, commit.millis);
  return text;
}

std::string CommitName(int64_t version) { return fmt::format("{:020}.json", version); }

}  // namespace protium
