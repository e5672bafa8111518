// SPDX-License-Identifier: Apache-2.0
#include "run/remove.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>

#include "base/fault.h"
#include "os/fd.h"
#include "run/folder.h"

namespace protium {

namespace fs = std::filesystem;

int64_t FolderBytes(const fs::path& folder) {
  int64_t bytes = 0;
  std::error_code error;
  constexpr auto kReadable = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(folder, kReadable, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (!at->is_symlink(ignored) && at->is_regular_file(ignored)) {
      bytes += int64_t(at->file_size(ignored));
    }
  }
  return bytes;
}

// Holds the run's lock while it removes, so that no resume begins in between.
Status RemoveRun(const fs::path& folder) {
  PT_TRY(ReadRunHeader(folder).status());
  const UniqueFd lock(open((folder / "lock").c_str(), O_RDONLY | O_CLOEXEC));
  if (lock.get() >= 0 && flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return Fail({.exit = Exit::kUsage,
                 .what = folder.filename().string() + " is still running",
                 .fix = "stop it first, with Ctrl-C where it runs",
                 .kept = "all of it"});
  }
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) return Status::OK();
  return Fail({.exit = Exit::kEnvironment,
               .what = "cannot remove " + folder.string() + ": " + error.message()});
}

}  // namespace protium
