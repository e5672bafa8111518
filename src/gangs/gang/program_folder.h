// SPDX-License-Identifier: Apache-2.0
// The folder that a rank's program runs in.
#pragma once

#include <filesystem>
#include <optional>

#include "gang/program.h"
#include "os/file.h"

namespace protium {

// ProgramSpec::folder if set, as on the driver's machine; else a folder of the rank's own, with a
// copy of the files in ProgramSpec::files.
class ProgramFolder {
 public:
  static Result<ProgramFolder> Make(const ProgramSpec& spec);
  const std::filesystem::path& path() const { return path_; }
  // Returns the program: as FindProgram() does, where a path with a slash is relative to this
  // folder or on this host; a file of the driver that is neither is the shipped one.
  Result<std::filesystem::path> Find(const std::string& name) const;

 private:
  std::optional<TemporaryFolder> own_;
  std::filesystem::path path_;
};

// Creates `shared` and puts into it what the ranks on other hosts need: all files of `folder`
// (empty: none), and those of `words` that name a file from here, under their own names. A word
// that is a relative path retains its path. Refuses a file that is neither a plain file nor a
// folder, and more than kMostShippedBytes in all (kUsage).
inline constexpr int64_t kMostShippedBytes = int64_t{2} << 30;
Status ShipFiles(const std::filesystem::path& folder, const std::vector<std::string>& words,
                 const std::filesystem::path& shared);

}  // namespace protium
