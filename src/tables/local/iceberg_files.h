// SPDX-License-Identifier: Apache-2.0
// The files that describe a new snapshot of an Iceberg table: manifests and their list.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "duckdb/handles.h"
#include "iceberg/manifest.h"
#include "protium/sources.h"

namespace protium {

// Of a snapshot that follows the newest of `table`. Reads and writes in `folder`, the table's
// folder of metadata, which must have been opened (OpenSources::OpenPlace), through DuckDB's reader
// of Avro. Each call may leave files that no snapshot names. Faults are those of the place.
class IcebergFiles {
 public:
  IcebergFiles(const duck::Connection& connection, Source folder, const IcebergTable& table,
               int64_t snapshot);

  // Adds files of rows.
  Status Add(const std::vector<IcebergFile>& files);
  // What the newest snapshot has stays.
  Status KeepOthers();
  // What the newest snapshot has goes; returns what that is.
  Result<std::vector<IcebergFile>> RemoveOthers();
  // Of what the newest snapshot has, the files of rows at these places (PlaceOfLocation) go, and
  // are returned; the others stay.
  Result<std::vector<IcebergFile>> Remove(const std::set<std::string>& places);
  // Writes the list, and returns its location.
  Result<std::string> Finish();

 private:
  Result<std::vector<IcebergManifest>> Others();
  enum class Facts { kNone, kAll };  // About columns.
  Result<std::vector<IcebergFile>> LiveFilesOf(const IcebergManifest& manifest, Facts facts);
  // Takes out the files of manifests of one content and spec; appends them to `removed`.
  Status RemoveFiles(const std::vector<IcebergManifest>& manifests,
                     std::vector<IcebergFile>& removed);
  Status PutManifest(const std::vector<IcebergFile>& files, const ManifestKind& kind);
  Result<std::string> Put(const std::string& name, const std::string& text);
  Result<Json> Read(const std::string& location, const std::string& as);

  const duck::Connection& connection_;
  const Source folder_;
  const IcebergTable& table_;
  const int64_t snapshot_;
  const std::string id_;  // In the names of all files.
  std::vector<IcebergManifest> manifests_;
};

}  // namespace protium
