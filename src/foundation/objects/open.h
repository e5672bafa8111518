// SPDX-License-Identifier: Apache-2.0
// Arrow's file system for a place, with bounded retries.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "objects/place.h"

namespace arrow::fs {
class FileSystem;
}

namespace protium {

struct OpenedFiles {
  std::shared_ptr<arrow::fs::FileSystem> files;
  std::string path;  // What the file system calls the place.
};

// Makes no request. For S3 opens libarrow_s3, which ./dev setup --sources s3 puts beside libarrow.
Result<OpenedFiles> OpenFiles(const ObjectPlace& place);

// The libraries that OpenFiles() opens for such a place, where it looks for them: beside libarrow.
std::vector<std::filesystem::path> LibrariesFor(const ObjectPlace& place);

}  // namespace protium
