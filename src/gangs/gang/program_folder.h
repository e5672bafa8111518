// SPDX-License-Identifier: Apache-2.0
// Where a rank's program runs.
#pragma once

#include <filesystem>
#include <optional>

#include "gang/program.h"
#include "os/file.h"

namespace protium {

// ProgramSpec::folder where that is set, as on the driver's machine; else a folder of the rank's
// own, with a copy of what lies in ProgramSpec::files.
class ProgramFolder {
 public:
  static Result<ProgramFolder> Make(const ProgramSpec& spec);
  const std::filesystem::path& path() const { return path_; }
  // The program: as FindProgram() has it, a path with a slash being one of this folder or of this
  // host; a file of the driver's that is neither is the shipped one.
  Result<std::filesystem::path> Find(const std::string& name) const;

 private:
  std::optional<TemporaryFolder> own_;
  std::filesystem::path path_;
};

// Puts into `shared`, which is made, what the ranks on other hosts need: all files of `folder`
// (empty: none), and those of `words` that name a file from here, under their own names. Of a word
// that is a relative path its place is kept. A file that is no plain file or folder is refused, and
// so is more than kMostShippedBytes in all (kUsage).
inline constexpr int64_t kMostShippedBytes = int64_t{2} << 30;
Status ShipFiles(const std::filesystem::path& folder, const std::vector<std::string>& words,
                 const std::filesystem::path& shared);

}  // namespace protium
