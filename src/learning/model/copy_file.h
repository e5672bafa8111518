// SPDX-License-Identifier: Apache-2.0
// Copies of files that a run or a model needs: nets, extensions, weights to start from.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace protium {

// Copies a file, which may be larger than memory; the copy appears whole or not at all. Creates
// missing folders, and leaves a file with the same content alone. Returns the SHA-256 of the
// content.
Result<std::string> CopyFile(const std::filesystem::path& from, const std::filesystem::path& to);

// Whether the file exists and its content has this SHA-256.
bool Holds(const std::filesystem::path& file, const std::string& sha256);

}  // namespace protium
