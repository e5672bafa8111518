// SPDX-License-Identifier: Apache-2.0
// Folders that do not outlive their process: their owner removes them; so does a signal that ends
// the process (os/signals.h); and what a killed process has left is removed by the next one that
// makes such a folder.
#pragma once

#include <filesystem>
#include <mutex>
#include <utility>

#include "os/fd.h"

namespace protium {

// A new folder that only this user may read; the destructor removes it with its contents. A lock
// (flock(2)) shows others that it is in use.
class TemporaryFolder {
 public:
  // Makes one below the system's temporary folder.
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
// whose threads may still be writing into them: while the lock is held, Make() waits.
[[nodiscard]] std::unique_lock<std::mutex> RemoveTemporaryFolders();

}  // namespace protium
