// SPDX-License-Identifier: Apache-2.0
// The files of a run folder, to be listed and looked at. A file is found only by a name of the
// listing, which follows no links: nothing outside of the folder can be named.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// {"files": [{"path", "bytes", "modified"}], "left_out"}: paths below the folder, in order, at most
// 2,000; "modified" in milliseconds since 1970.
Json ListRunFiles(const std::filesystem::path& run);

// A part of a file as text: {"path", "bytes", "from", "next", "text", "binary"}. From byte `from`
// on, or the last part if `from` is negative; at most 256 KiB. The part ends with a whole line
// where there is one. Of a file with bytes of zero "binary" is true and "text" empty.
Result<Json> ReadRunFile(const std::filesystem::path& run, const std::string& path, int64_t from);

}  // namespace protium
