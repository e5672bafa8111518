// SPDX-License-Identifier: Apache-2.0
// What lists of manifests and manifests say, from JSON of their lines.
#pragma once

#include <string>
#include <vector>

#include "iceberg/manifest.h"

namespace protium {

// Reads a line of a list of manifests, as JSON of its fields. Refuses (kInput) an encrypted one.
Result<IcebergManifest> ReadManifest(const Json& line, const std::string& place);
// Reads the entries of a manifest, as JSON of their fields: the files that are still the table's.
std::vector<IcebergFile> LiveFiles(const Json& entries, const IcebergManifest& manifest);

}  // namespace protium
