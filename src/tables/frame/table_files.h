// SPDX-License-Identifier: Apache-2.0
// From a table's path to its files. A path is a file, a pattern, or a folder; its files are
// determined here, once, so that all engines read the same ones in the same order.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "column/source.h"
#include "format/file_form.h"
#include "frame/inputs.h"

namespace protium {

struct TableFiles {
  std::vector<std::string> paths;  // Absolute or as given; by name, folder by folder.
  // The folder above the first one that holds a value of a partition ("year=2013").
  std::filesystem::path root;
  // New files that match would be read as part of the table; empty for a single file.
  std::vector<InputPattern> patterns;
  // Entries of its folders that lead nowhere, such as a link to itself, or that link to a folder
  // above them, each with the reason.
  std::vector<std::string> passed_over;
};

// Finds the file itself; the files that a pattern such as "2013-*.csv" matches; or, in a folder,
// those with one of the format's endings. With `partitions`, folders may be patterns too, and a
// folder means all files below it, except those that engines skip: names that begin with "." or
// "_". A path that exists is taken literally, even if it looks like a pattern. If there is no file
// at all, that is a fault of Exit::kInput.
Result<TableFiles> FindFiles(const std::filesystem::path& path, Format format,
                             const std::vector<std::string>& partitions);

// Returns the format that the ending of the file, or of the first file in the folder, names.
Result<FileForm> FindForm(const std::filesystem::path& path);

}  // namespace protium
