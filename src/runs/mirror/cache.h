// SPDX-License-Identifier: Apache-2.0
// Where runs of object stores lie on this machine: $XDG_CACHE_HOME/protium/runs, or
// ~/.cache/protium/runs, with a folder for each place. It is a folder of runs as any other; beside
// the runs, in .state, is what is known about each copy.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "base/status.h"
#include "objects/place.h"
#include "os/fd.h"
#include "protium/fields.h"

namespace protium {

// The folder for the runs of `runs`, made if it does not exist.
Result<std::filesystem::path> CacheOf(const ObjectPlace& runs);

// A file as it was when its contents were known.
struct CachedFile {
  std::string content;  // MirroredFile::ContentId().
  int64_t bytes = 0;
  int64_t inode = 0;
  int64_t changed = 0;  // Nanoseconds since 1970.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("content", content);
    visit("bytes", bytes);
    visit("inode", inode);
    visit("changed", changed);
  }
  bool operator==(const CachedFile&) const = default;
};

// What is known about the copy of a run.
struct CacheState {
  std::string place;   // The run's.
  std::string token;   // Of the attempt whose files these are.
  bool ahead = false;  // That attempt worked here, and not everything is on the store.
  std::map<std::string, CachedFile> files;
};
// An empty state if there is none or it is damaged: then nothing counts as known.
CacheState ReadCacheState(const std::filesystem::path& run);
Status WriteCacheState(const std::filesystem::path& run, const CacheState& state);

// The file on disk, without its content; fails if it is not a regular file.
Result<CachedFile> LookAt(const std::filesystem::path& file);
// The same for the file that a descriptor has open.
Result<CachedFile> LookAt(int descriptor);

// Held by whoever changes the copy of a run: the command that works in it, or one that brings files
// from the store.
class CacheLock {
 public:
  // Waits up to 30 s for another; then, or at once if a job works in the folder, a fault of
  // Exit::kEnvironment.
  static Result<CacheLock> Take(const std::filesystem::path& run);

 private:
  explicit CacheLock(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
};

// Removes the copy of a run that the store has no more. One that is ahead of the store stays.
Status RemoveCopy(const std::filesystem::path& run);

}  // namespace protium
