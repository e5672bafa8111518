// SPDX-License-Identifier: Apache-2.0
#include "os/publish.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "os/fd.h"
#include "os/file.h"

namespace protium {
namespace {

// Exchanges the names `from` and `to`. Some file systems cannot do so in one step; there the folder
// at `to` is renamed to a third name in between.
int Exchange(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) return 0;
  // File systems without RENAME_EXCHANGE return EINVAL.
  if (errno != EINVAL && errno != ENOSYS) return errno;
  const std::string aside = from + ".old";
  if (::rename(to.c_str(), aside.c_str()) != 0) return errno;
  if (::rename(from.c_str(), to.c_str()) == 0) {
    ::rename(aside.c_str(), from.c_str());
    return 0;
  }
  const int error = errno;
  ::rename(aside.c_str(), to.c_str());
  return error;
}

}  // namespace

Status SyncFolder(const std::filesystem::path& folder) {
  const UniqueFd fd(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some folders may be written to but not read, and some file systems do not flush folders.
  if (!fd && errno == EACCES) return Status::OK();
  if (fd && (::fsync(fd.get()) == 0 || errno == EINVAL)) return Status::OK();
  return SystemFault("flush " + folder.string(), errno);
}

Status PublishFolder(const std::filesystem::path& draft, const std::filesystem::path& target) {
  // rename(2) can replace an empty or missing folder, and refuses one that is not empty.
  const bool in_place = ::rename(draft.c_str(), target.c_str()) == 0;
  if (!in_place) {
    int error = errno;  // For a folder that is not empty.
    if (error == ENOTEMPTY || error == EEXIST) error = Exchange(draft, target);
    if (error != 0) return SystemFault("move " + draft.string() + " to " + target.string(), error);
  }
  PT_TRY(SyncFolder(target.parent_path()));
  std::error_code ignored;
  if (!in_place) std::filesystem::remove_all(draft, ignored);
  return Status::OK();
}

bool IsDraftName(const std::string& name) {
  return name.starts_with(".") || name.find(".partial") != name.npos;
}

Status WriteFolder(const std::filesystem::path& target,
                   const std::function<Status(const std::filesystem::path& draft)>& write) {
  const std::filesystem::path draft = target.string() + ".partial-" + std::to_string(::getpid());
  std::error_code ignored;
  std::filesystem::remove_all(draft, ignored);
  PT_TRY(MakeFolder(draft));
  Status written = write(draft);
  if (written.ok()) written = PublishFolder(draft, target);
  if (!written.ok()) std::filesystem::remove_all(draft, ignored);
  return written;
}

}  // namespace protium
