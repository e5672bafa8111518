// SPDX-License-Identifier: Apache-2.0
// Files that appear whole or not at all, files read up to a limit, and folders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "os/fd.h"
#include "os/temporary_folder.h"

namespace protium {

// Reads a whole regular file of at most `cap_bytes`; for a file of /proc or /sys, the first 64 KiB.
Result<std::string> ReadFile(const std::filesystem::path& path, int64_t cap_bytes = 1 << 30);

// Reads the last whole lines of a file, at most `cap_bytes` of them; empty if it cannot be read.
std::string ReadTail(const std::filesystem::path& path, int64_t cap_bytes);

// A file that appears under its name only when Commit() succeeds; until then an existing file
// stays. It is written in the folder of its target without a name, so that a process that is killed
// leaves nothing; on file systems without such files (O_TMPFILE) it is written beside its target. A
// full disk fails as kNoRoom with bytes and path.
class AtomicFile {
 public:
  static Result<AtomicFile> Make(std::filesystem::path path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();  // Without Commit(), removes what was written.

  Status Write(std::span<const std::byte> bytes);
  Status Write(std::string_view text) { return Write(std::as_bytes(std::span(text))); }
  // The same for large data that is not read soon: whole pages of memory that belong to whole pages
  // of the file bypass the page cache (os/past_cache.h), if the file system can do that.
  Status WritePastCache(std::span<const std::byte> bytes);
  // Flushes to the disk and renames. Nothing may be written afterwards.
  Status Commit();

  int64_t written() const { return written_; }
  int fd() const { return fd_.get(); }

 private:
  AtomicFile(std::filesystem::path path, std::filesystem::path temporary, UniqueFd fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(std::move(fd)) {}
  Status Failed(std::string_view doing, int64_t bytes, int error) const;
  Status TakeName();

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // Empty while it has none, and after Commit().
  UniqueFd fd_;
  int64_t written_ = 0;
};

// Removes what writers of `path` left beside it when they were killed in the moment between naming
// their file and renaming it. Only whoever keeps all others from writing `path` may do so.
void RemoveLeftBeside(const std::filesystem::path& path);

// Writes `text` as an AtomicFile.
Status WriteFile(const std::filesystem::path& path, std::string_view text);

// Whether a regular file exists, perhaps behind a link.
bool IsRegularFile(const std::filesystem::path& path);

// Whether a process of this machine has the file open; false also if its open files cannot be seen.
bool HasOpen(int process, const std::filesystem::path& file);

// Makes the folder and those above it. An empty path, such as that above "a.txt", is the folder of
// the process, which is there.
Status MakeFolder(const std::filesystem::path& path);

}  // namespace protium
