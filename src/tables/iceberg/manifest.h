// SPDX-License-Identifier: Apache-2.0
// The files that say which files are a snapshot's: a list of manifests, and manifests (Iceberg
// Table Spec, "Manifests" and "Manifest Lists").
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "iceberg/partitions.h"
#include "iceberg/table.h"

namespace protium {

// Values of the fields "content".
enum class IcebergContent { kRows = 0, kDeletes = 1 };

// What a snapshot does with a file: it keeps, adds, or takes it out.
enum class EntryStatus { kKept = 0, kAdded = 1, kDeleted = 2 };

// A file of a snapshot, or one that a snapshot takes out.
struct IcebergFile {
  EntryStatus status = EntryStatus::kAdded;
  int64_t content = 0;  // 0: rows; 1 and 2: deletes by position and by equality.
  std::string location;
  std::string format = "PARQUET";
  int64_t rows = 0;
  int64_t bytes = 0;
  Json partition = Json::object();                   // Its values, by the names of fields.
  std::vector<int64_t> equality_ids;                 // Of deletes by equality: their columns.
  std::map<int64_t, int64_t> nulls;                  // By column: how many are NULL.
  std::map<int64_t, std::string> smallest, largest;  // By column (IcebergBounds).
  // Of a file that is not added: what it came with.
  int64_t sequence = 0, file_sequence = 0, snapshot = 0;
  std::map<int64_t, int64_t> sizes, values, nans;  // By column.
  std::vector<int64_t> splits;
  std::optional<int64_t> order;
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

// What the entries of one manifest have in common.
struct ManifestKind {
  IcebergContent content = IcebergContent::kRows;
  IcebergSpec spec = {};
};

// The contents of a manifest with these files, whose status is that in the snapshot. What is added
// has the sequence number that the snapshot is committed with.
std::string ManifestText(const std::vector<IcebergFile>& files, const ManifestKind& kind,
                         const IcebergTable& table, int64_t snapshot);
// Describes it.
IcebergManifest DescribeManifest(const std::vector<IcebergFile>& files, const ManifestKind& kind,
                                 const IcebergTable& table, int64_t snapshot);

// The contents of the list of a snapshot that follows the table's newest.
std::string ManifestListText(const std::vector<IcebergManifest>& manifests,
                             const IcebergTable& table, int64_t snapshot);

}  // namespace protium
