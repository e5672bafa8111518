// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/status.h"

namespace protium::example {

// A text file that appears under its name only when Finish() succeeds.
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
