// SPDX-License-Identifier: Apache-2.0
#include "delta/checkpoint.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace protium {
namespace {

constexpr int64_t kUsualInterval = 10;
constexpr int64_t kWeek = int64_t{7} * 24 * 60 * 60 * 1000;

const Json& Settings(const DeltaTable& table) { return MemberOf(table.metadata, "configuration"); }

}  // namespace

int64_t CheckpointInterval(const DeltaTable& table) {
  const std::string said = TextAt(Settings(table), "delta.checkpointInterval");
  return AllAsNumber<int64_t>(said).value_or(kUsualInterval);
}

bool IsCheckpointDue(const DeltaTable& table) {
  const int64_t interval = CheckpointInterval(table);
  return table.version > 0 && interval > 0 && table.version % interval == 0;
}

std::string CheckpointStructure() {
  const char* const text = "VARCHAR";
  const char* const number = "BIGINT";
  const char* const flag = "BOOLEAN";
  const char* const texts = "MAP(VARCHAR, VARCHAR)";
  const Json vector = {{"storageType", text},
                       {"pathOrInlineDv", text},
                       {"offset", "INTEGER"},
                       {"sizeInBytes", "INTEGER"},
                       {"cardinality", number}};
  const Json structure = {
      {"protocol",
       {{"minReaderVersion", "INTEGER"},
        {"minWriterVersion", "INTEGER"},
        {"readerFeatures", Json::array({text})},
        {"writerFeatures", Json::array({text})}}},
      {"metaData",
       {{"id", text},
        {"name", text},
        {"description", text},
        {"format", {{"provider", text}, {"options", texts}}},
        {"schemaString", text},
        {"partitionColumns", Json::array({text})},
        {"configuration", texts},
        {"createdTime", number}}},
      {"txn", {{"appId", text}, {"version", number}, {"lastUpdated", number}}},
      {"domainMetadata", {{"domain", text}, {"configuration", text}, {"removed", flag}}},
      {"add",
       {{"path", text},
        {"partitionValues", texts},
        {"size", number},
        {"modificationTime", number},
        {"dataChange", flag},
        {"stats", text},
        {"tags", texts},
        {"deletionVector", vector}}},
      {"remove",
       {{"path", text},
        {"deletionTimestamp", number},
        {"dataChange", flag},
        {"extendedFileMetadata", flag},
        {"partitionValues", texts},
        {"size", number},
        {"deletionVector", vector}}}};
  return Dump(structure);
}

int64_t MillisToKeepRemoved(const DeltaTable& table) {
  return TextAt(Settings(table), "delta.deletedFileRetentionDuration").empty() ? kWeek : -1;
}

std::string CheckpointName(int64_t version) {
  return fmt::format("{:020}.checkpoint.parquet", version);
}

}  // namespace protium
