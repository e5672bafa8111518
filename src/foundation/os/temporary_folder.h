// SPDX-License-Identifier: Apache-2.0
// Folders that do not outlast their process: their owner removes them; a signal that ends the
// process does (os/signals.h); and what a killed one has left, the next to make one removes.
#pragma once

#include <filesystem>
#include <utility>

#include "os/fd.h"

namespace protium {

// A new folder of its own that only this user may read, removed with all in it at the end. It is
// held by a lock (flock(2)), by which others see that it is in use.
class TemporaryFolder {
 public:
  // Below the system's temporary folder.
  static Result<TemporaryFolder> Make();
  static Result<TemporaryFolder> MakeIn(const std::filesystem::path& base);
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), held_(std::move(other.held_)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder(std::filesystem::path path, UniqueFd held)
      : path_(std::move(path)), held_(std::move(held)) {}
  std::filesystem::path path_;
  UniqueFd held_;
};

// Removes those of this process in the system's temporary folder. For the last moments of a process
// whose threads may be writing into them still.
void RemoveTemporaryFolders();

}  // namespace protium
