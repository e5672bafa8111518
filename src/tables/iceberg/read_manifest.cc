// SPDX-License-Identifier: Apache-2.0
#include "iceberg/read_manifest.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/fault.h"
#include "base/text.h"
#include "sources/lake_file.h"

namespace protium {
namespace {

// Bytes as DuckDB writes them as text: \\x and two digits where they are not plain characters.
std::optional<std::string> BytesIn(const Json& text) {
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
                         .least = BytesIn(MemberOf(each, "lower_bound")),
                         .most = BytesIn(MemberOf(each, "upper_bound"))});
  }
  return summaries;
}

// Earlier writers had another name for these fields.
int64_t CountAt(const Json& line, const std::string& kind) {
  return WholeAt(line, kind + "_files_count", WholeAt(line, kind + "_data_files_count", 0));
}

// The facts about columns, by their numbers: DuckDB writes a map as an object.
std::map<int64_t, int64_t> CountsAt(const Json& file, const char* key) {
  std::map<int64_t, int64_t> counts;
  for (const auto& [column, count] : MemberOf(file, key).items()) {
    const auto id = AllAsNumber<int64_t>(column);
    if (id && count.is_number_integer()) counts[*id] = count.get<int64_t>();
  }
  return counts;
}

std::map<int64_t, std::string> BoundsAt(const Json& file, const char* key) {
  std::map<int64_t, std::string> bounds;
  for (const auto& [column, bound] : MemberOf(file, key).items()) {
    const auto id = AllAsNumber<int64_t>(column);
    const auto bytes = BytesIn(bound);
    if (id && bytes) bounds[*id] = *bytes;
  }
  return bounds;
}

std::vector<int64_t> ListAt(const Json& file, const char* key) {
  std::vector<int64_t> list;
  for (const Json& each : MemberOf(file, key)) {
    if (each.is_number_integer()) list.push_back(each.get<int64_t>());
  }
  return list;
}

IcebergFile ReadIcebergFile(const Json& file) {
  IcebergFile read{.status = EntryStatus::kKept,
                   .content = WholeAt(file, "content"),
                   .location = TextAt(file, "file_path"),
                   .format = TextAt(file, "file_format"),
                   .rows = WholeAt(file, "record_count"),
                   .bytes = WholeAt(file, "file_size_in_bytes"),
                   .partition = MemberOf(file, "partition"),
                   .equality_ids = ListAt(file, "equality_ids"),
                   .nulls = CountsAt(file, "null_value_counts"),
                   .smallest = BoundsAt(file, "lower_bounds"),
                   .largest = BoundsAt(file, "upper_bounds"),
                   .sizes = CountsAt(file, "column_sizes"),
                   .values = CountsAt(file, "value_counts"),
                   .nans = CountsAt(file, "nan_value_counts"),
                   .splits = ListAt(file, "split_offsets")};
  const Json& order = MemberOf(file, "sort_order_id");
  if (order.is_number_integer()) read.order = order.get<int64_t>();
  return read;
}

}  // namespace

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
    files.push_back(ReadIcebergFile(MemberOf(entry, "data_file")));
    files.back().sequence = WholeAt(entry, "sequence_number", manifest.sequence);
    files.back().file_sequence = WholeAt(entry, "file_sequence_number", manifest.sequence);
    files.back().snapshot = WholeAt(entry, "snapshot_id", manifest.snapshot);
  }
  return files;
}

}  // namespace protium
