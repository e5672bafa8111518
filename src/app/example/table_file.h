// SPDX-License-Identifier: Apache-2.0
// Writing the tables of an example.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/status.h"

namespace protium::example {

// A text file that appears under its name only when Finish() succeeds. An error of any earlier call
// is kept and reported by Finish(). Without Finish() the partial file is removed.
class TableFile {
 public:
  explicit TableFile(std::filesystem::path path);
  ~TableFile();
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;

  void Line(std::string_view text);
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
