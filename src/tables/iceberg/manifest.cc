// SPDX-License-Identifier: Apache-2.0
#include "iceberg/manifest.h"

#include <utility>

#include "avro/encoding.h"
#include "base/fault.h"
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
  return Record(
      "r2", Json::array(
                {Field("content", "int", 134), Field("file_path", "string", 100),
                 Field("file_format", "string", 101), Field("partition", PartitionType(spec), 102),
                 Field("record_count", "long", 103), Field("file_size_in_bytes", "long", 104),
                 Optional("null_value_counts", MapType(121, 122, "long"), 110),
                 Optional("lower_bounds", MapType(126, 127, "bytes"), 125),
                 Optional("upper_bounds", MapType(129, 130, "bytes"), 128),
                 Optional("equality_ids", ids, 135)}));
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

void PutFile(std::string& to, const IcebergFile& file, const IcebergSpec& spec) {
  PutAvroLong(to, file.content);
  PutAvroBytes(to, file.location);
  PutAvroBytes(to, file.format);
  for (const IcebergPartition& each : spec.partitions) {
    PutPartitionValue(to, each, MemberOf(file.partition, each.name));
  }
  PutAvroLong(to, file.rows);
  PutAvroLong(to, file.bytes);
  PutMap(to, file.nulls);
  PutMap(to, file.smallest);
  PutMap(to, file.largest);
  if (file.equality_ids.empty()) return PutAvroNull(to);
  PutAvroSome(to);
  PutAvroLong(to, static_cast<int64_t>(file.equality_ids.size()));
  for (const int64_t id : file.equality_ids) PutAvroLong(to, id);
  PutAvroLong(to, 0);
}

// What is added inherits its numbers from the list that the manifest is in.
void PutEntry(std::string& to, const IcebergFile& file, const ManifestKind& kind,
              int64_t snapshot) {
  PutAvroLong(to, static_cast<int64_t>(kind.status));
  PutAvroSome(to);
  PutAvroLong(to, snapshot);
  for (const int64_t number : {file.sequence, file.file_sequence}) {
    if (kind.status == EntryStatus::kAdded) {
      PutAvroNull(to);
    } else {
      PutAvroSome(to);
      PutAvroLong(to, number);
    }
  }
  PutFile(to, file, kind.spec);
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

// Bytes as DuckDB writes them as text: \\x and two digits where they are not plain characters.
std::optional<std::string> BytesAt(const Json& line, const char* key) {
  const Json& text = MemberOf(line, key);
  if (!text.is_string()) return std::nullopt;
  const std::string& told = text.get_ref<const std::string&>();
  std::string bytes;
  for (size_t i = 0; i < told.size(); ++i) {
    if (told.compare(i, 2, "\\x") != 0 || i + 3 >= told.size()) {
      bytes += told[i];
      continue;
    }
    bytes += static_cast<char>(std::stoi(told.substr(i + 2, 2), nullptr, 16));
    i += 3;
  }
  return bytes;
}

std::vector<IcebergSummary> ReadSummaries(const Json& line) {
  std::vector<IcebergSummary> summaries;
  for (const Json& each : MemberOf(line, "partitions")) {
    const Json& nan = MemberOf(each, "contains_nan");
    summaries.push_back({.has_null = MemberOf(each, "contains_null") == true,
                         .has_nan = nan.is_boolean() ? std::optional(nan == true) : std::nullopt,
                         .least = BytesAt(each, "lower_bound"),
                         .most = BytesAt(each, "upper_bound")});
  }
  return summaries;
}

// Earlier writers had another name for these fields.
int64_t CountAt(const Json& line, const std::string& kind) {
  return WholeAt(line, kind + "_files_count", WholeAt(line, kind + "_data_files_count", 0));
}

}  // namespace

std::string ManifestText(const std::vector<IcebergFile>& files, const ManifestKind& kind,
                         const IcebergTable& table, int64_t snapshot) {
  std::string entries;
  for (const IcebergFile& file : files) PutEntry(entries, file, kind, snapshot);
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
  const bool added = kind.status == EntryStatus::kAdded;
  for (const IcebergFile& file : files) {
    ++(added ? manifest.added_files : manifest.deleted_files);
    (added ? manifest.added_rows : manifest.deleted_rows) += file.rows;
    values.push_back(file.partition);
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

Result<IcebergManifest> ReadManifest(const Json& line, const std::string& place) {
  IcebergManifest manifest{.location = TextAt(line, "manifest_path"),
                           .bytes = WholeAt(line, "manifest_length"),
                           .spec = WholeAt(line, "partition_spec_id"),
                           .content = static_cast<IcebergContent>(WholeAt(line, "content")),
                           .sequence = WholeAt(line, "sequence_number"),
                           .min_sequence = WholeAt(line, "min_sequence_number"),
                           .snapshot = WholeAt(line, "added_snapshot_id"),
                           .added_files = CountAt(line, "added"),
                           .existing_files = CountAt(line, "existing"),
                           .deleted_files = CountAt(line, "deleted"),
                           .added_rows = WholeAt(line, "added_rows_count"),
                           .existing_rows = WholeAt(line, "existing_rows_count"),
                           .deleted_rows = WholeAt(line, "deleted_rows_count"),
                           .partitions = ReadSummaries(line)};
  const bool encrypted = !MemberOf(line, "key_metadata").is_null();
  if (!encrypted && !manifest.location.empty()) return manifest;
  return Fail({.exit = Exit::kInput,
               .what = encrypted ? "the Iceberg table is encrypted, which is not kept here"
                                 : "the list of manifests names one without a place",
               .where = place,
               .kept = "the table as it was"});
}

// An entry without numbers has those of its manifest.
std::vector<IcebergFile> LiveFiles(const Json& entries, const IcebergManifest& manifest) {
  std::vector<IcebergFile> files;
  for (const Json& entry : entries) {
    if (WholeAt(entry, "status") == static_cast<int64_t>(EntryStatus::kDeleted)) continue;
    const Json& file = MemberOf(entry, "data_file");
    files.push_back({.content = WholeAt(file, "content"),
                     .location = TextAt(file, "file_path"),
                     .format = TextAt(file, "file_format"),
                     .rows = WholeAt(file, "record_count"),
                     .bytes = WholeAt(file, "file_size_in_bytes"),
                     .partition = MemberOf(file, "partition"),
                     .sequence = WholeAt(entry, "sequence_number", manifest.sequence),
                     .file_sequence = WholeAt(entry, "file_sequence_number", manifest.sequence)});
    for (const Json& id : MemberOf(file, "equality_ids")) {
      if (id.is_number_integer()) files.back().equality_ids.push_back(id.get<int64_t>());
    }
  }
  return files;
}

}  // namespace protium
