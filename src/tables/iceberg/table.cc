// SPDX-License-Identifier: Apache-2.0
#include "iceberg/table.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/fault.h"
#include "iceberg/partitions.h"
#include "sources/lake_file.h"

namespace protium {
namespace {

Status Refuse(const std::string& place, std::string what, std::string fix) {
  return Fail({.exit = Exit::kInput,
               .what = std::move(what),
               .where = place,
               .fix = std::move(fix),
               .kept = "the table as it was"});
}

// The member of a list whose `key` is `value`; null if there is none.
const Json& Find(const Json& list, std::string_view key, int64_t value) {
  static const Json kNone;
  for (const Json& each : list) {
    if (WholeAt(each, key, -1) == value) return each;
  }
  return kNone;
}

int64_t NewestOf(const Json& metadata) {
  const Json& main = MemberOf(MemberOf(metadata, "refs"), "main");
  return WholeAt(main, "snapshot-id", WholeAt(metadata, "current-snapshot-id", -1));
}

std::string Folder(const IcebergTable& table, const char* property, const char* name) {
  std::string folder = TextAt(table.properties, property);
  if (folder.empty()) folder = table.location + name;
  while (folder.ends_with('/')) folder.pop_back();
  return folder;
}

}  // namespace

std::optional<int64_t> IcebergTable::newest() const {
  if (snapshot.is_null()) return std::nullopt;
  return WholeAt(snapshot, "snapshot-id", -1);
}

Result<IcebergTable> ReadIcebergTable(const Json& metadata, const std::string& place) {
  IcebergTable table{.uuid = TextAt(metadata, "table-uuid"),
                     .location = TextAt(metadata, "location"),
                     .format = WholeAt(metadata, "format-version", 0),
                     .spec = WholeAt(metadata, "default-spec-id", 0),
                     .sequence = WholeAt(metadata, "last-sequence-number", 0),
                     .schema_id = WholeAt(metadata, "current-schema-id", 0)};
  while (table.location.ends_with('/')) table.location.pop_back();
  table.schema = Find(MemberOf(metadata, "schemas"), "schema-id", table.schema_id);
  table.snapshots = MemberOf(metadata, "snapshots");
  table.snapshot = Find(table.snapshots, "snapshot-id", NewestOf(metadata));
  table.properties = MemberOf(metadata, "properties");
  table.specs = MemberOf(metadata, "partition-specs");
  if (!table.uuid.empty() && !table.location.empty()) return table;
  return Fail({.exit = Exit::kRemote,
               .what = "the catalogue does not say what the table is",
               .where = place,
               .why = "its answer has no table-uuid, or no location"});
}

Status CheckWritable(const IcebergTable& table, const std::string& place) {
  if (table.format != 2) {
    return Refuse(place,
                  fmt::format("the Iceberg table is of format version {}, and tables of version 2 "
                              "are written",
                              table.format),
                  table.format == 1 ? "set its property format-version to 2" : "");
  }
  if (!TextAt(table.properties, "encryption.key-id").empty()) {
    return Refuse(place, "the Iceberg table is encrypted, which is not kept here",
                  "name another table");
  }
  if (table.schema.is_null()) {
    return Refuse(place, "the metadata of the Iceberg table has no schema", "");
  }
  return SpecOf(table, table.spec, place).status();
}

std::string DataFolder(const IcebergTable& table) {
  return Folder(table, "write.data.path", "/data");
}

std::string MetadataFolder(const IcebergTable& table) {
  return Folder(table, "write.metadata.path", "/metadata");
}

std::string PlaceOfLocation(const std::string& location) {
  constexpr std::pair<std::string_view, std::string_view> kOther[] = {
      {"file://", ""}, {"file:", ""}, {"s3a://", "s3://"}, {"s3n://", "s3://"}};
  for (const auto& [begin, ours] : kOther) {
    if (location.starts_with(begin)) return std::string(ours) + location.substr(begin.size());
  }
  return location;
}

// At most as many steps as there are snapshots: metadata from outside could lead in a circle.
bool HasSnapshotWith(const IcebergTable& table, const std::string& key, const std::string& value) {
  const Json* at = &table.snapshot;
  for (size_t i = 0; i <= table.snapshots.size() && !at->is_null(); ++i) {
    if (TextAt(MemberOf(*at, "summary"), key) == value) return true;
    at = &Find(table.snapshots, "snapshot-id", WholeAt(*at, "parent-snapshot-id", -1));
  }
  return false;
}

bool HasSnapshot(const IcebergTable& table, int64_t snapshot) {
  return !Find(table.snapshots, "snapshot-id", snapshot).is_null();
}

}  // namespace protium
