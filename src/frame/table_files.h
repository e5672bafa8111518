// SPDX-License-Identifier: Apache-2.0
// Which files a path of a table means.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "column/source.h"
#include "frame/inputs.h"

namespace protium {

struct TableFiles {
  std::vector<std::string> paths;  // By name, folder by folder.
  // Where the folders with values of partitions begin.
  std::filesystem::path root;
  // What else would be read as part of the table if it were there; none for a single file.
  std::vector<InputPattern> patterns;
};

// The file itself, the files that a pattern such as "2013-*.csv" means, or those with the format's
// ending in the folder `path`. With `partitions` folders may be patterns, too, and a folder means
// all files below it, but for those that engines leave out: names that begin with . or _.
Result<TableFiles> FilesOf(const std::filesystem::path& path, Format format,
                           const std::vector<std::string>& partitions);

}  // namespace protium
