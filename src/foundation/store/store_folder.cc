// SPDX-License-Identifier: Apache-2.0
#include "store/store_folder.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "base/digest.h"
#include "os/file.h"
#include "os/publish.h"
#include "store/manifest.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

constexpr size_t kCauseDigits = 64;

// Returns whether it was not there.
Result<bool> MakePrivate(const fs::path& folder) {
  const bool made = ::mkdir(folder.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) return SystemFault("make the folder " + folder.string(), errno);
  struct stat about {};
  if (::lstat(folder.c_str(), &about) != 0) return SystemFault("inspect " + folder.string(), errno);
  if (S_ISDIR(about.st_mode) && about.st_uid == ::geteuid() && (about.st_mode & 077) == 0) {
    return made;
  }
  return Fail({.exit = Exit::kEnvironment,
               .what = "the folder of the store belongs to another user, or is open to others",
               .where = folder.string(),
               .fix = "chmod 700 it, remove it, or name another one: PROTIUM_STORE=/some/folder, "
                      "or PROTIUM_STORE=off"});
}

// The nearest folder above `folder` that is there, or itself.
fs::path NearestThere(fs::path folder) {
  std::error_code ignored;
  while (folder.has_relative_path() && !fs::exists(folder, ignored)) folder = folder.parent_path();
  return folder;
}

// Flushes the names in `folder` and in those above it, up to `there`.
Status SyncUpTo(fs::path folder, const fs::path& there) {
  PT_TRY(SyncFolder(folder));
  while (folder != there && folder.has_relative_path()) {
    folder = folder.parent_path();
    PT_TRY(SyncFolder(folder));
  }
  return Status::OK();
}

// Opens a folder or file in the open folder `at`; none if it is missing.
Result<UniqueFd> OpenIn(int at, const std::string& name, int flags) {
  UniqueFd fd(::openat(at, name.c_str(), flags | O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (fd || errno == ENOENT) return fd;
  if (errno == ELOOP || errno == ENOTDIR) {
    return Fail(
        {.exit = Exit::kInput, .what = "\"" + name + "\" in the store is a link or no folder"});
  }
  return SystemFault("open \"" + name + "\" in the store", errno);
}

// The same of a folder, in one call. None with errno if it is missing, if there is a link on the
// way, or if the kernel, or a filter of calls, does not know how.
UniqueFd OpenBelow(int at, const std::string& path) {
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return UniqueFd(int(::syscall(SYS_openat2, at, path.c_str(), &how, sizeof how)));
}

std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  return names;
}

std::string Variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

}  // namespace

Result<StoreFolder> StoreFolder::Open(fs::path root) {
  const fs::path there = NearestThere(root.parent_path());
  if (root.has_parent_path()) PT_TRY(MakeFolder(root.parent_path()));
  PT_LET(bool made, MakePrivate(root));
  for (const char* name : {"objects", "drafts", "refs", "trash", "open"}) {
    PT_LET(const bool one, MakePrivate(root / name));
    made = made || one;
  }
  // What survives a loss of power must not lie in a folder that does not.
  if (made) PT_TRY(SyncUpTo(root, there));
  UniqueFd fd(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return SystemFault("open " + root.string(), errno);
  return StoreFolder(std::move(root), std::move(fd));
}

fs::path StoreFolder::ObjectBelow(const fs::path& root, const std::string& cause) {
  return root / "objects" / cause.substr(0, 2) / cause;
}

fs::path StoreFolder::Draft(const std::string& cause) const { return root_ / "drafts" / cause; }

fs::path StoreFolder::DraftLockOf(const std::string& cause) const {
  return root_ / "drafts" / (cause + ".lock");
}

fs::path StoreFolder::Ref(const std::string& name) const {
  return root_ / "refs" / (Sha256Hex(name) + ".json");
}

fs::path StoreFolder::NewTrash(const std::string& cause) const {
  static std::atomic<int64_t> last = 0;
  return root_ / "trash" /
         (cause + "-" + std::to_string(::getpid()) + "-" + std::to_string(++last));
}

Result<UniqueFd> StoreFolder::OpenObject(const std::string& cause) const {
  UniqueFd folder = OpenBelow(fd_.get(), ObjectBelow({}, cause));
  if (folder || errno == ENOENT) return folder;
  for (const std::string& each : {std::string("objects"), cause.substr(0, 2), cause}) {
    PT_LET(folder, OpenIn(folder ? folder.get() : fd_.get(), each, O_DIRECTORY));
    if (!folder) return folder;
  }
  return folder;
}

Result<UniqueFd> StoreFolder::OpenFile(const std::string& cause, const std::string& name) const {
  PT_LET(const UniqueFd folder, OpenObject(cause));
  return folder ? OpenFileIn(folder, name) : UniqueFd();
}

bool StoreFolder::IsOwnFile(const struct stat& about) {
  return S_ISREG(about.st_mode) && about.st_uid == ::geteuid();
}

Result<UniqueFd> StoreFolder::OpenFileIn(const UniqueFd& object, const std::string& name) {
  PT_LET(UniqueFd file, OpenIn(object.get(), name, 0));
  if (!file) return file;
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return SystemFault("inspect a kept file", errno);
  if (IsOwnFile(about)) return file;
  return Fail(
      {.exit = Exit::kInput, .what = "\"" + name + "\" of a kept object is no file of yours"});
}

std::vector<std::string> StoreFolder::Objects() const {
  std::vector<std::string> all;
  for (const std::string& begin : NamesIn(root_ / "objects")) {
    if (!IsHexName(begin, 2)) continue;
    for (std::string& name : NamesIn(root_ / "objects" / begin)) {
      if (IsHexName(name, kCauseDigits) && name.starts_with(begin)) all.push_back(std::move(name));
    }
  }
  std::ranges::sort(all);
  return all;
}

std::vector<std::string> StoreFolder::Drafts() const {
  std::vector<std::string> all;
  for (const std::string& name : NamesIn(root_ / "drafts")) {
    const std::string cause = name.substr(0, name.find('.'));
    if (IsHexName(cause, kCauseDigits)) all.push_back(cause);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

void StoreFolder::EmptyTrash() const {
  std::error_code ignored;
  for (const std::string& name : NamesIn(root_ / "trash")) {
    fs::remove_all(root_ / "trash" / name, ignored);
  }
}

Result<StoreFolder::Disk> StoreFolder::Measure() const {
  struct statvfs about {};
  if (::fstatvfs(fd_.get(), &about) != 0) return SystemFault("measure " + root_.string(), errno);
  const auto block = int64_t(about.f_frsize);
  return Disk{int64_t(about.f_blocks) * block, int64_t(about.f_bavail) * block};
}

fs::path SharedStoreFolder() {
  const std::string folder = Variable("PROTIUM_STORE_SHARED");
  return folder.empty() ? fs::path() : fs::absolute(folder);
}

fs::path DefaultStoreFolder() {
  const std::string own = Variable("PROTIUM_STORE");
  if (own == "off") return {};
  if (!own.empty()) return fs::absolute(own);
  const std::string cache = Variable("XDG_CACHE_HOME");
  if (!cache.empty()) return fs::absolute(cache) / "protium" / "store";
  const std::string home = Variable("HOME");
  return home.empty() ? fs::path() : fs::absolute(home) / ".cache" / "protium" / "store";
}

std::string ThisBoot() {
  const auto text = ReadFile("/proc/sys/kernel/random/boot_id", 100);
  return text.ok() ? text->substr(0, text->find('\n')) : std::string();
}

}  // namespace protium
