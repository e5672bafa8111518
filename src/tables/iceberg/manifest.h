// SPDX-License-Identifier: Apache-2.0
// The files that say which files are a snapshot's: a list of manifests, and manifests (Iceberg
// Table Spec, "Manifests" and "Manifest Lists").
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "iceberg/partitions.h"
#include "iceberg/table.h"

namespace protium {

// Values of the fields "content".
enum class IcebergContent { kRows = 0, kDeletes = 1 };

// A file of a snapshot, or one that a snapshot takes out.
struct IcebergFile {
  int64_t content = 0;  // 0: rows; 1 and 2: deletes by position and by equality.
  std::string location;
  std::string format = "PARQUET";
  int64_t rows = 0;
  int64_t bytes = 0;
  Json partition = Json::object();                   // Its values, by the names of fields.
  std::vector<int64_t> equality_ids;                 // Of deletes by equality: their columns.
  std::map<int64_t, int64_t> nulls;                  // By column: how many are NULL.
  std::map<int64_t, std::string> smallest, largest;  // By column (IcebergBounds).
  // Of a file that is taken out: those that it came with.
  int64_t sequence = 0, file_sequence = 0;
};

// A manifest, as a list of them describes it.
struct IcebergManifest {
  std::string location;
  int64_t bytes = 0;
  int64_t spec = 0;
  IcebergContent content = IcebergContent::kRows;
  int64_t sequence = 0, min_sequence = 0;
  int64_t snapshot = 0;  // That it came with.
  int64_t added_files = 0, existing_files = 0, deleted_files = 0;
  int64_t added_rows = 0, existing_rows = 0, deleted_rows = 0;
  std::vector<IcebergSummary> partitions;
};

// Of a manifest's entries, for all of them.
enum class EntryStatus { kAdded = 1, kDeleted = 2 };

// What the entries of one manifest have in common.
struct ManifestKind {
  EntryStatus status = EntryStatus::kAdded;
  IcebergContent content = IcebergContent::kRows;
  IcebergSpec spec = {};
};

// The contents of a manifest with these files, which the snapshot adds or takes out. What is added
// has the sequence number that the snapshot is committed with.
std::string ManifestText(const std::vector<IcebergFile>& files, const ManifestKind& kind,
                         const IcebergTable& table, int64_t snapshot);
// Describes it.
IcebergManifest DescribeManifest(const std::vector<IcebergFile>& files, const ManifestKind& kind,
                                 const IcebergTable& table, int64_t snapshot);

// The contents of the list of a snapshot that follows the table's newest.
std::string ManifestListText(const std::vector<IcebergManifest>& manifests,
                             const IcebergTable& table, int64_t snapshot);

// Reads a line of a list of manifests, as JSON of its fields. Refuses (kInput) an encrypted one.
Result<IcebergManifest> ReadManifest(const Json& line, const std::string& place);
// Reads the entries of a manifest, as JSON of their fields: the files that are still the table's.
std::vector<IcebergFile> LiveFiles(const Json& entries, const IcebergManifest& manifest);

}  // namespace protium
