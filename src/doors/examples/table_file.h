// SPDX-License-Identifier: Apache-2.0
// Writes one table or picture of an example as a file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/status.h"

namespace protium::example {

// Makes the folder and its parents. Fails with Exit::kEnvironment.
Status MakeFolder(const std::filesystem::path& folder);

// Writes to <path>.part, which Finish() renames to `path` if all succeeded. The first error is
// stored, makes later calls do nothing, and is returned by Finish(). Without Finish() the partial
// file is removed. One thread.
class TableFile {
 public:
  explicit TableFile(std::filesystem::path path);
  ~TableFile();
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  // Written in pieces of about 1 MiB.
  void Add(std::string_view bytes);
  // Adds the text and a line break.
  void Line(std::string_view text);
  // Call once, at the end. Fails with Exit::kNoRoom on a full disk or quota, otherwise with
  // Exit::kEnvironment; then this object leaves no file of either name.
  Status Finish();

 private:
  void Flush();

  std::filesystem::path path_;
  std::filesystem::path part_;
  std::string pending_;
  int file_ = -1;
  int error_ = 0;
};

}  // namespace protium::example
