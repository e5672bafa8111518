// SPDX-License-Identifier: Apache-2.0
#include "iceberg/manifest.h"

#include <algorithm>
#include <utility>

#include "avro/encoding.h"
#include "sources/lake_file.h"

namespace protium {
namespace {

Json Field(const char* name, Json type, int64_t id) {
  return {{"name", name}, {"type", std::move(type)}, {"field-id", id}};
}

Json Optional(const char* name, Json type, int64_t id) {
  return {{"name", name},
          {"type", Json::array({"null", std::move(type)})},
          {"default", nullptr},
          {"field-id", id}};
}

Json Record(const char* name, Json fields) {
  return {{"type", "record"}, {"name", name}, {"fields", std::move(fields)}};
}

// Avro's maps have keys of text; those by numbers are lists of pairs.
Json MapType(int64_t key, int64_t value, const char* value_type) {
  const std::string name = "k" + std::to_string(key) + "_v" + std::to_string(value);
  return {{"type", "array"},
          {"logicalType", "map"},
          {"items", Record(name.c_str(), Json::array({Field("key", "int", key),
                                                      Field("value", value_type, value)}))}};
}

Json PartitionType(const IcebergSpec& spec) {
  Json fields = Json::array();
  for (const IcebergPartition& each : spec.partitions) {
    fields.push_back(Optional(each.name.c_str(), AvroTypeOf(each), each.id));
  }
  return Record("r102", std::move(fields));
}

Json FileType(const IcebergSpec& spec) {
  const Json ids = {{"type", "array"}, {"items", "int"}, {"element-id", 136}};
  const Json splits = {{"type", "array"}, {"items", "long"}, {"element-id", 133}};
  return Record(
      "r2", Json::array(
                {Field("content", "int", 134), Field("file_path", "string", 100),
                 Field("file_format", "string", 101), Field("partition", PartitionType(spec), 102),
                 Field("record_count", "long", 103), Field("file_size_in_bytes", "long", 104),
                 Optional("column_sizes", MapType(117, 118, "long"), 108),
                 Optional("value_counts", MapType(119, 120, "long"), 109),
                 Optional("null_value_counts", MapType(121, 122, "long"), 110),
                 Optional("nan_value_counts", MapType(138, 139, "long"), 137),
                 Optional("lower_bounds", MapType(126, 127, "bytes"), 125),
                 Optional("upper_bounds", MapType(129, 130, "bytes"), 128),
                 Optional("split_offsets", splits, 132), Optional("equality_ids", ids, 135),
                 Optional("sort_order_id", "int", 140)}));
}

Json EntryType(const IcebergSpec& spec) {
  return Record("manifest_entry",
                Json::array({Field("status", "int", 0), Optional("snapshot_id", "long", 1),
                             Optional("sequence_number", "long", 3),
                             Optional("file_sequence_number", "long", 4),
                             Field("data_file", FileType(spec), 2)}));
}

Json ListType() {
  const Json summary = Record(
      "r508",
      Json::array({Field("contains_null", "boolean", 509), Optional("contains_nan", "boolean", 518),
                   Optional("lower_bound", "bytes", 510), Optional("upper_bound", "bytes", 511)}));
  const Json summaries = {{"type", "array"}, {"items", summary}, {"element-id", 508}};
  return Record(
      "manifest_file",
      Json::array(
          {Field("manifest_path", "string", 500), Field("manifest_length", "long", 501),
           Field("partition_spec_id", "int", 502), Field("content", "int", 517),
           Field("sequence_number", "long", 515), Field("min_sequence_number", "long", 516),
           Field("added_snapshot_id", "long", 503), Field("added_files_count", "int", 504),
           Field("existing_files_count", "int", 505), Field("deleted_files_count", "int", 506),
           Field("added_rows_count", "long", 512), Field("existing_rows_count", "long", 513),
           Field("deleted_rows_count", "long", 514), Optional("partitions", summaries, 507)}));
}

void PutValue(std::string& to, int64_t value) { PutAvroLong(to, value); }
void PutValue(std::string& to, const std::string& value) { PutAvroBytes(to, value); }

template <class Value>
void PutMap(std::string& to, const std::map<int64_t, Value>& map) {
  if (map.empty()) return PutAvroNull(to);
  PutAvroSome(to);
  PutAvroLong(to, static_cast<int64_t>(map.size()));
  for (const auto& [key, value] : map) {
    PutAvroLong(to, key);
    PutValue(to, value);
  }
  PutAvroLong(to, 0);
}

void PutList(std::string& to, const std::vector<int64_t>& list) {
  if (list.empty()) return PutAvroNull(to);
  PutAvroSome(to);
  PutAvroLong(to, static_cast<int64_t>(list.size()));
  for (const int64_t each : list) PutAvroLong(to, each);
  PutAvroLong(to, 0);
}

void PutFile(std::string& to, const IcebergFile& file, const IcebergSpec& spec) {
  PutAvroLong(to, file.content);
  PutAvroBytes(to, file.location);
  PutAvroBytes(to, file.format);
  for (const IcebergPartition& each : spec.partitions) {
    PutPartitionValue(to, each, MemberOf(file.partition, each.name));
  }
  PutAvroLong(to, file.rows);
  PutAvroLong(to, file.bytes);
  for (const auto* const counts : {&file.sizes, &file.values, &file.nulls, &file.nans}) {
    PutMap(to, *counts);
  }
  PutMap(to, file.smallest);
  PutMap(to, file.largest);
  PutList(to, file.splits);
  PutList(to, file.equality_ids);
  if (!file.order) return PutAvroNull(to);
  PutAvroSome(to);
  PutAvroLong(to, *file.order);
}

// What is added inherits its numbers from the list that the manifest is in.
void PutEntry(std::string& to, const IcebergFile& file, const IcebergSpec& spec, int64_t snapshot) {
  PutAvroLong(to, static_cast<int64_t>(file.status));
  PutAvroSome(to);
  PutAvroLong(to, file.status == EntryStatus::kKept ? file.snapshot : snapshot);
  for (const int64_t number : {file.sequence, file.file_sequence}) {
    if (file.status == EntryStatus::kAdded) {
      PutAvroNull(to);
    } else {
      PutAvroSome(to);
      PutAvroLong(to, number);
    }
  }
  PutFile(to, file, spec);
}

void PutSummary(std::string& to, const IcebergSummary& summary) {
  PutAvroFlag(to, summary.has_null);
  if (summary.has_nan) {
    PutAvroSome(to);
    PutAvroFlag(to, *summary.has_nan);
  } else {
    PutAvroNull(to);
  }
  for (const auto& bound : {summary.least, summary.most}) {
    if (!bound) {
      PutAvroNull(to);
      continue;
    }
    PutAvroSome(to);
    PutAvroBytes(to, *bound);
  }
}

void PutManifest(std::string& to, const IcebergManifest& manifest) {
  PutAvroBytes(to, manifest.location);
  for (const int64_t number :
       {manifest.bytes, manifest.spec, static_cast<int64_t>(manifest.content), manifest.sequence,
        manifest.min_sequence, manifest.snapshot, manifest.added_files, manifest.existing_files,
        manifest.deleted_files, manifest.added_rows, manifest.existing_rows,
        manifest.deleted_rows}) {
    PutAvroLong(to, number);
  }
  PutAvroSome(to);
  if (!manifest.partitions.empty()) {
    PutAvroLong(to, static_cast<int64_t>(manifest.partitions.size()));
    for (const IcebergSummary& each : manifest.partitions) PutSummary(to, each);
  }
  PutAvroLong(to, 0);
}

}  // namespace

std::string ManifestText(const std::vector<IcebergFile>& files, const ManifestKind& kind,
                         const IcebergTable& table, int64_t snapshot) {
  std::string entries;
  for (const IcebergFile& file : files) PutEntry(entries, file, kind.spec, snapshot);
  return AvroFile(EntryType(kind.spec),
                  {{"schema", Dump(table.schema)},
                   {"schema-id", std::to_string(table.schema_id)},
                   {"partition-spec", Dump(kind.spec.fields)},
                   {"partition-spec-id", std::to_string(kind.spec.id)},
                   {"format-version", "2"},
                   {"content", kind.content == IcebergContent::kRows ? "data" : "deletes"}},
                  static_cast<int64_t>(files.size()), entries);
}

IcebergManifest DescribeManifest(const std::vector<IcebergFile>& files, const ManifestKind& kind,
                                 const IcebergTable& table, int64_t snapshot) {
  IcebergManifest manifest{.spec = kind.spec.id,
                           .content = kind.content,
                           .sequence = table.sequence + 1,
                           .min_sequence = table.sequence + 1,
                           .snapshot = snapshot};
  std::vector<Json> values;
  for (const IcebergFile& file : files) {
    values.push_back(file.partition);
    switch (file.status) {
      case EntryStatus::kKept:
        ++manifest.existing_files;
        manifest.existing_rows += file.rows;
        manifest.min_sequence = std::min(manifest.min_sequence, file.sequence);
        break;
      case EntryStatus::kAdded:
        ++manifest.added_files;
        manifest.added_rows += file.rows;
        break;
      case EntryStatus::kDeleted:
        ++manifest.deleted_files;
        manifest.deleted_rows += file.rows;
    }
  }
  manifest.partitions = Summarize(kind.spec, values);
  return manifest;
}

std::string ManifestListText(const std::vector<IcebergManifest>& manifests,
                             const IcebergTable& table, int64_t snapshot) {
  std::string lines;
  for (const IcebergManifest& manifest : manifests) PutManifest(lines, manifest);
  const auto parent = table.newest();
  return AvroFile(ListType(),
                  {{"snapshot-id", std::to_string(snapshot)},
                   {"parent-snapshot-id", parent ? std::to_string(*parent) : "null"},
                   {"sequence-number", std::to_string(table.sequence + 1)},
                   {"format-version", "2"}},
                  static_cast<int64_t>(manifests.size()), lines);
}

}  // namespace protium
