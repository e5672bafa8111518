// SPDX-License-Identifier: Apache-2.0
// Paths in the SQL that DuckDB reads, where *, ? and [ would be expanded to whatever files match.
#pragma once

#include <string>

namespace protium {

// The glob pattern that matches the file `path` and no other.
std::string DuckDbPath(const std::string& path);

}  // namespace protium
