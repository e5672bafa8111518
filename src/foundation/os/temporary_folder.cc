// SPDX-License-Identifier: Apache-2.0
#include "os/temporary_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include "base/fault.h"

// A folder is called "protium-tmp-<process>-<six letters>" when its lock is held, and until then
// "protium-new-<six letters>": a process that finds one with the first name and gets the lock knows
// that it has no owner.

namespace protium {

namespace {

namespace fs = std::filesystem;

constexpr char kPrefix[] = "protium-tmp-";
constexpr char kNew[] = "protium-new-XXXXXX";  // As mkdtemp() takes it.
constexpr size_t kLetters = 6;

// Held while a folder gets its two names: one that is between them would not be found.
std::mutex making;

Result<fs::path> SystemsFolder() {
  std::error_code error;
  fs::path folder = fs::temp_directory_path(error);
  if (!error) return folder;
  const char* const named = ::getenv("TMPDIR");
  Fault fault = FaultOf(SystemFault(
      "use the temporary folder " + std::string(named != nullptr ? named : "/tmp"), error.value()));
  fault.exit = Exit::kEnvironment;
  fault.fix = "TMPDIR names the folder for temporary files: set it to one that is there";
  return Fail(std::move(fault));
}

std::vector<fs::path> FoldersNamed(const fs::path& base, const std::string& prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(base, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(prefix)) found.push_back(at->path());
  }
  return found;
}

UniqueFd OpenFolder(const fs::path& folder) {
  return UniqueFd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Only this user's folders; on a file system without such locks, no folder counts as free.
void RemoveStale(const fs::path& base) {
  for (const fs::path& each : FoldersNamed(base, kPrefix)) {
    const UniqueFd folder = OpenFolder(each);
    struct stat facts {};
    if (!folder || ::fstat(folder.get(), &facts) != 0 || facts.st_uid != ::geteuid()) continue;
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;
    std::error_code ignored;
    fs::remove_all(each, ignored);
  }
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::Make() {
  PT_LET(const fs::path base, SystemsFolder());
  return MakeIn(base);
}

Result<TemporaryFolder> TemporaryFolder::MakeIn(const fs::path& base) {
  RemoveStale(base);
  const std::lock_guard lock(making);
  std::string made = (base / kNew).string();
  if (::mkdtemp(made.data()) == nullptr) {
    return SystemFault("make a temporary folder in " + base.string(), errno);
  }
  UniqueFd held = OpenFolder(made);
  if (held) (void)::flock(held.get(), LOCK_EX | LOCK_NB);
  const fs::path name =
      base / (kPrefix + std::to_string(::getpid()) + "-" + made.substr(made.size() - kLetters));
  if (::rename(made.c_str(), name.c_str()) == 0) return TemporaryFolder(name, std::move(held));
  const int error = errno;
  ::rmdir(made.c_str());
  return SystemFault("make a temporary folder in " + base.string(), error);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::unique_lock<std::mutex> RemoveTemporaryFolders() {
  constexpr int kMostTries = 100;
  std::unique_lock lock(making);
  const Result<fs::path> base = SystemsFolder();
  if (!base.ok()) return lock;
  const std::string own = kPrefix + std::to_string(::getpid()) + "-";
  // The next try finds what is written meanwhile, also by threads that make the folders above their
  // files anew. The last one finds nothing.
  for (int i = 0; i < kMostTries; ++i) {
    const auto folders = FoldersNamed(*base, own);
    if (folders.empty()) break;
    std::error_code error;
    for (const fs::path& each : folders) fs::remove_all(each, error);
  }
  return lock;
}

}  // namespace protium
