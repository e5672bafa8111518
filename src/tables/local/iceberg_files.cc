// SPDX-License-Identifier: Apache-2.0
#include "local/iceberg_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/fault.h"
#include "iceberg/read_manifest.h"
#include "local/lake_files.h"
#include "local/source_faults.h"
#include "os/random_letters.h"
#include "sql/duckdb/quoted.h"
#include "sql/duckdb/scan.h"

namespace protium {

IcebergFiles::IcebergFiles(const duck::Connection& connection, Source folder,
                           const IcebergTable& table, int64_t snapshot)
    : connection_(connection),
      folder_(std::move(folder)),
      table_(table),
      snapshot_(snapshot),
      id_(RandomLetters(20)) {}

Status IcebergFiles::Add(const std::vector<IcebergFile>& files) {
  PT_LET(IcebergSpec spec, SpecOf(table_, table_.spec, folder_.file));
  return PutManifest(files, {.spec = std::move(spec)});
}

Status IcebergFiles::KeepOthers() {
  PT_LET(const auto others, Others());
  manifests_.insert(manifests_.end(), others.begin(), others.end());
  return Status::OK();
}

// Those who read what has changed, and those who remove what no snapshot has any more, learn of it
// from manifests that say so. Each has files of one content and one spec.
Result<std::vector<IcebergFile>> IcebergFiles::RemoveOthers() {
  std::map<std::pair<IcebergContent, int64_t>, std::vector<IcebergManifest>> kinds;
  PT_LET(const auto others, Others());
  for (const IcebergManifest& each : others) kinds[{each.content, each.spec}].push_back(each);
  std::vector<IcebergFile> removed;
  for (const auto& [kind, manifests] : kinds) PT_TRY(RemoveFiles(manifests, removed));
  return removed;
}

Status IcebergFiles::RemoveFiles(const std::vector<IcebergManifest>& manifests,
                                 std::vector<IcebergFile>& removed) {
  std::vector<IcebergFile> files;
  for (const IcebergManifest& manifest : manifests) {
    PT_LET(const auto live, LiveFilesOf(manifest, Facts::kNone));
    files.insert(files.end(), live.begin(), live.end());
  }
  if (files.empty()) return Status::OK();
  const IcebergManifest& first = manifests.front();
  PT_LET(IcebergSpec spec, SpecOf(table_, first.spec, folder_.file));
  for (IcebergFile& file : files) file.status = EntryStatus::kDeleted;
  PT_TRY(PutManifest(files, {.content = first.content, .spec = std::move(spec)}));
  removed.insert(removed.end(), files.begin(), files.end());
  return Status::OK();
}

// A manifest is never changed: one that names such a file is written anew.
Result<std::vector<IcebergFile>> IcebergFiles::Remove(const std::set<std::string>& places) {
  const auto goes = [&](const IcebergFile& file) {
    return places.contains(PlaceOfLocation(file.location));
  };
  std::vector<IcebergFile> removed;
  PT_LET(const auto others, Others());
  for (const IcebergManifest& manifest : others) {
    std::vector<IcebergFile> files;
    if (manifest.content == IcebergContent::kRows) {
      PT_LET(files, LiveFilesOf(manifest, Facts::kNone));
    }
    if (std::ranges::none_of(files, goes)) {
      manifests_.push_back(manifest);
      continue;
    }
    PT_LET(files, LiveFilesOf(manifest, Facts::kAll));
    for (IcebergFile& file : files) {
      if (!goes(file)) continue;
      file.status = EntryStatus::kDeleted;
      removed.push_back(file);
    }
    PT_LET(IcebergSpec spec, SpecOf(table_, manifest.spec, folder_.file));
    PT_TRY(PutManifest(files, {.spec = std::move(spec)}));
  }
  if (removed.size() == places.size()) return removed;
  return Fail({.exit = Exit::kRemote,
               .what = fmt::format("of {} files with rows to replace, the manifests of the Iceberg "
                                   "table name {}",
                                   places.size(), removed.size()),
               .where = folder_.file,
               .kept = "the table as it was"});
}

Result<std::string> IcebergFiles::Finish() {
  return Put(fmt::format("snap-{}-{}.avro", snapshot_, id_),
             ManifestListText(manifests_, table_, snapshot_));
}

Status IcebergFiles::PutManifest(const std::vector<IcebergFile>& files, const ManifestKind& kind) {
  IcebergManifest manifest = DescribeManifest(files, kind, table_, snapshot_);
  const std::string text = ManifestText(files, kind, table_, snapshot_);
  manifest.bytes = static_cast<int64_t>(text.size());
  PT_LET(manifest.location, Put(fmt::format("{}-m{}.avro", id_, manifests_.size()), text));
  manifests_.push_back(std::move(manifest));
  return Status::OK();
}

Result<std::string> IcebergFiles::Put(const std::string& name, const std::string& text) {
  PT_LET(const bool put, PutLakeFile(connection_, folder_, folder_.file + "/" + name, text));
  if (put) return MetadataFolder(table_) + "/" + name;
  return Fail({.exit = Exit::kRemote,
               .what = "another writer has made the file " + name,
               .where = folder_.file,
               .kept = "the table as it was"});
}

Result<std::vector<IcebergManifest>> IcebergFiles::Others() {
  std::vector<IcebergManifest> manifests;
  const std::string list = TextAt(table_.snapshot, "manifest-list");
  if (list.empty()) return manifests;
  PT_LET(const Json lines, Read(list, "to_json(t)"));
  for (const Json& line : lines) {
    PT_LET(IcebergManifest manifest, ReadManifest(line, list));
    manifests.push_back(std::move(manifest));
  }
  return manifests;
}

// The facts about columns are long, and of no use for a file that goes.
Result<std::vector<IcebergFile>> IcebergFiles::LiveFilesOf(const IcebergManifest& manifest,
                                                           Facts facts) {
  if (facts == Facts::kAll) {
    PT_LET(const Json entries, Read(manifest.location, "to_json(t)"));
    return LiveFiles(entries, manifest);
  }
  constexpr const char* kLong[] = {"column_sizes",     "value_counts", "null_value_counts",
                                   "nan_value_counts", "lower_bounds", "upper_bounds",
                                   "split_offsets"};
  std::string without;
  for (const char* each : kLong) {
    without += fmt::format("{}\"{}\":null", without.empty() ? "" : ",", each);
  }
  PT_LET(const Json entries, Read(manifest.location, fmt::format("json_merge_patch(to_json(t), "
                                                                 "'{{\"data_file\":{{{}}}}}')",
                                                                 without)));
  return LiveFiles(entries, manifest);
}

// `as` writes a line, t, as JSON.
Result<Json> IcebergFiles::Read(const std::string& location, const std::string& as) {
  const auto text = duck::AskText(
      connection_,
      fmt::format("SELECT coalesce(CAST(to_json(list({})) AS VARCHAR), '[]') FROM read_avro({}) t",
                  as, DuckDbText(DuckDbPath(PlaceOfLocation(location)))));
  if (text.ok()) return ParseJson(*text);
  return PlaceFault(folder_, text.status());
}

}  // namespace protium
