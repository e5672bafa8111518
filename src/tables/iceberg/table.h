// SPDX-License-Identifier: Apache-2.0
// What the metadata of an Iceberg table says about the whole table (Iceberg Table Spec, "Table
// Metadata").
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace protium {

struct IcebergTable {
  std::string uuid;
  std::string location;  // As the table writes it: "s3://lake/sales/scores", "file:///...".
  std::string file;      // The place of its metadata; never changes.
  int64_t format = 0;
  int64_t spec = 0;      // Of partitions.
  int64_t sequence = 0;  // The last that was given out.
  int64_t schema_id = 0;
  Json schema;
  Json snapshot;   // The newest of the branch "main"; null: no rows were written yet.
  Json snapshots;  // All that are still known.
  Json properties;
  Json specs;  // Of partitions: all that files were written by.

  // The number of `snapshot`; nullopt without one.
  std::optional<int64_t> newest() const;
};

// Faults (kRemote) name `place`.
Result<IcebergTable> ReadIcebergTable(const Json& metadata, const std::string& place);

// Refuses (kInput) a table that asks writers for what is not kept here: format versions other than
// 2, partitions of other kinds (iceberg/partitions.h), and encryption. `place` is for the message.
Status CheckWritable(const IcebergTable& table, const std::string& place);

// The folders in which new files of rows and of metadata lie, as the table writes its location.
std::string DataFolder(const IcebergTable& table);
std::string MetadataFolder(const IcebergTable& table);

// Where a file that a table names is opened: "file:///a" is "/a", and "s3a://" and "s3n://" are
// Hadoop's words for "s3://".
std::string PlaceOfLocation(const std::string& location);

// Whether the newest snapshot or one that it follows has the note `key` with this value.
bool HasSnapshotWith(const IcebergTable& table, const std::string& key, const std::string& value);
// Whether the table has, or had, the snapshot.
bool HasSnapshot(const IcebergTable& table, int64_t snapshot);

}  // namespace protium
