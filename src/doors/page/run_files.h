// SPDX-License-Identifier: Apache-2.0
// Lists and shows the files of a run folder. A file is found only by a name from the listing, which
// follows no links: nothing outside the folder can be named.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Returns {"files": [{"path", "bytes", "modified"}], "left_out"}: paths below the folder, in order,
// at most 2,000; "modified" in milliseconds since 1970.
Json ListRunFiles(const std::filesystem::path& run);

// Returns a part of a file as text: {"path", "bytes", "from", "next", "text", "binary"}. Starts at
// byte `from`, or is the last part if `from` is negative; at most 256 KiB. The part ends with a
// whole line if possible. For a file with zero bytes in it, "binary" is true and "text" empty.
Result<Json> ReadRunFile(const std::filesystem::path& run, const std::string& path, int64_t from);

}  // namespace protium
