// SPDX-License-Identifier: Apache-2.0
// The small tables that parity cases read: files of tests/parity/tables with their schemas.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "plan/node.h"

namespace protium {

class Tables {
 public:
  // Reads `folder`/tables.json: {"numbers": {"file", "csv": {...}, "schema": [...]}, ...}.
  static Result<Tables> Read(const std::filesystem::path& folder);

  // Returns a Scan of the table; a Broken plan for an unknown name.
  Plan operator[](const std::string& name) const;

 private:
  std::map<std::string, Plan> scans_;
};

}  // namespace protium
