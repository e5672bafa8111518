// SPDX-License-Identifier: Apache-2.0
#include "delta/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/fault.h"

namespace protium {
namespace {

// Features that ask nothing of a writer of whole files, or whose use is checked below.
constexpr std::string_view kKept[] = {"appendOnly",       "changeDataFeed",     "checkConstraints",
                                      "columnMapping",    "deletionVectors",    "domainMetadata",
                                      "generatedColumns", "identityColumns",    "invariants",
                                      "timestampNtz",     "vacuumProtocolCheck"};

// Words of a column's metadata that give it a meaning of its own.
struct ColumnRule {
  std::string_view key;
  std::string_view feature;
};
constexpr ColumnRule kRules[] = {{"delta.invariants", "invariants"},
                                 {"delta.generationExpression", "generatedColumns"},
                                 {"delta.identity.start", "identityColumns"}};

Status Refuse(const std::string& place, std::string_view feature, std::string why) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("the Delta table asks writers for the feature {}, which the "
                                   "embedded engine does not keep",
                                   feature),
               .where = place,
               .why = std::move(why),
               .fix = "write it on Spark: --engine sc://HOST, or name another folder",
               .kept = "the table as it was"});
}

std::string Setting(const DeltaTable& table, const char* key) {
  return TextAt(MemberOf(table.metadata, "configuration"), key);
}

Status CheckFeatures(const DeltaTable& table, const std::string& place) {
  const int64_t writer = WholeAt(table.protocol, "minWriterVersion", -1);
  if (writer < 1 || writer > 7) {
    return Refuse(place, fmt::format("\"writer version {}\"", writer), "");
  }
  for (const Json& each : MemberOf(table.protocol, "writerFeatures")) {
    const std::string feature = each.is_string() ? each.get<std::string>() : Dump(each);
    if (std::ranges::count(kKept, feature) == 0) return Refuse(place, feature, "");
  }
  return Status::OK();
}

Status CheckSettings(const DeltaTable& table, StoreMode mode, const std::string& place) {
  const std::string mapping = Setting(table, "delta.columnMapping.mode");
  if (!mapping.empty() && mapping != "none") {
    return Refuse(place, "columnMapping", "delta.columnMapping.mode is " + mapping);
  }
  if (mode != StoreMode::kAppend && Setting(table, "delta.appendOnly") == "true") {
    return Refuse(place, "appendOnly",
                  "its rows cannot be replaced; mode = \"append\" adds to them");
  }
  if (mode == StoreMode::kUpsert && Setting(table, "delta.enableChangeDataFeed") == "true") {
    return Refuse(place, "changeDataFeed", "an upsert would tell it of rows that have not changed");
  }
  for (const char* key : {"delta.enableRowTracking", "delta.enableInCommitTimestamps"}) {
    if (Setting(table, key) == "true") return Refuse(place, key, "");
  }
  const Json& all = MemberOf(table.metadata, "configuration");
  for (const auto& [key, value] : all.items()) {
    if (!key.starts_with("delta.constraints.")) continue;
    return Refuse(place, "checkConstraints", fmt::format("{} is {}", key, Dump(value)));
  }
  return Status::OK();
}

// Columns of structs have fields with metadata of their own.
Status CheckFields(const Json& type, const std::string& place) {
  for (const Json& field : MemberOf(type, "fields")) {
    for (const ColumnRule& rule : kRules) {
      if (!MemberOf(field, "metadata").contains(rule.key)) continue;
      return Refuse(place, rule.feature,
                    "column " + TextAt(field, "name") + " has " + std::string(rule.key));
    }
    PT_TRY(CheckFields(MemberOf(field, "type"), place));
  }
  return Status::OK();
}

}  // namespace

Status CheckWritable(const DeltaTable& table, StoreMode mode, const std::string& place) {
  if (!table.exists()) return Status::OK();
  PT_TRY(CheckFeatures(table, place));
  PT_TRY(CheckSettings(table, mode, place));
  const Result<Json> schema = ParseJson(TextAt(table.metadata, "schemaString"));
  if (schema.ok()) return CheckFields(*schema, place);
  return Fail({.exit = Exit::kInput,
               .what = "the log of the Delta table has no schema",
               .where = place,
               .why = FaultOf(schema.status()).what});
}

std::vector<std::string> PartitionsOf(const DeltaTable& table) {
  std::vector<std::string> names;
  for (const Json& name : MemberOf(table.metadata, "partitionColumns")) {
    if (name.is_string()) names.push_back(name.get<std::string>());
  }
  return names;
}

}  // namespace protium
