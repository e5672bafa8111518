// SPDX-License-Identifier: Apache-2.0
// Paths in texts that DuckDB reads.
#pragma once

#include <string>

namespace protium {

// DuckDB takes paths for patterns: the pattern that means this file only.
std::string DuckDbPath(const std::string& path);

}  // namespace protium
