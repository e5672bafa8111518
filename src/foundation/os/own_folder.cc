// SPDX-License-Identifier: Apache-2.0
#include "os/own_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/fault.h"
#include "os/fd.h"

namespace protium {

Status MakeOwnFolder(const std::filesystem::path& folder, std::string_view what_for,
                     mode_t closed) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return SystemFault("make the folder " + folder.string(), errno);
  }
  struct stat about {};
  // lstat() does not follow a link that someone else may have put there.
  if (::lstat(folder.c_str(), &about) != 0) return SystemFault("inspect " + folder.string(), errno);
  const bool own = S_ISDIR(about.st_mode) && about.st_uid == ::geteuid();
  if (own && (about.st_mode & closed) == 0) return Status::OK();
  return Fail({.exit = Exit::kEnvironment,
               .what = fmt::format("the folder {} {}", what_for,
                                   own ? "is open to others" : "is another user's, or a link"),
               .where = folder.string(),
               .fix = own ? "chmod 700 " + folder.string()
                          : "name another one, or have its owner remove it"});
}

}  // namespace protium
