// SPDX-License-Identifier: Apache-2.0
#include "mirror/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/digest.h"
#include "base/fault.h"
#include "base/json.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "run/folder.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

Result<fs::path> CacheRoot() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != 0) return fs::path(cache) / "protium" / "runs";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home != 0) return fs::path(home) / ".cache" / "protium" / "runs";
  return Fail({.exit = Exit::kEnvironment,
               .what = "there is no folder for copies of runs",
               .why = "neither XDG_CACHE_HOME nor HOME is set",
               .fix = "export XDG_CACHE_HOME=/some/folder/of/yours"});
}

// "s3-bucket-runs-1f2e3d4c": readable, and different for different places.
std::string FolderOf(const ObjectPlace& runs) {
  std::string name;
  for (const char c : runs.text().substr(0, 60)) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (fits) name.push_back(c);
    if (!fits && !name.ends_with('-')) name.push_back('-');
  }
  return name + "-" + Sha256Hex(runs.text()).substr(0, 12);
}

fs::path StateFile(const fs::path& run, const char* extension) {
  return run.parent_path() / ".state" / (run.filename().string() + extension);
}

CachedFile Seen(const struct stat& info) {
  return {.bytes = info.st_size,
          .inode = int64_t(info.st_ino),
          .changed = info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec};
}

Json StateToJson(const CacheState& state) {
  std::vector<std::pair<std::string, Json>> files;
  for (const auto& [path, file] : state.files) files.emplace_back(path, FieldsToJson(file));
  return {{"place", state.place},
          {"token", state.token},
          {"ahead", state.ahead},
          {"files", ObjectOf(std::move(files))}};
}

}  // namespace

Result<fs::path> CacheOf(const ObjectPlace& runs) {
  PT_LET(const fs::path root, CacheRoot());
  const fs::path folder = root / FolderOf(runs);
  PT_TRY(MakeFolder(folder / ".state"));
  return folder;
}

CacheState ReadCacheState(const fs::path& run) {
  CacheState state;
  const auto text = ReadFile(StateFile(run, ".json"));
  const auto json = text.ok() ? ParseJson(*text) : Result<Json>(text.status());
  if (!json.ok() || !json->is_object()) return {};
  state.place = TextAt(*json, "place");
  state.token = TextAt(*json, "token");
  const auto ahead = json->find("ahead");
  state.ahead = ahead != json->end() && *ahead == true;
  const Json files = json->value("files", Json::object());
  for (const auto& [path, each] : files.items()) {
    CachedFile file;
    if (FieldsFromJson(each, "", file).ok()) state.files[path] = file;
  }
  return state;
}

Status WriteCacheState(const fs::path& run, const CacheState& state) {
  PT_TRY(MakeFolder(run.parent_path() / ".state"));
  return WriteFile(StateFile(run, ".json"), Dump(StateToJson(state)) + "\n");
}

Result<CachedFile> LookAt(const fs::path& file) {
  struct stat info {};
  if (lstat(file.c_str(), &info) != 0) return SystemFault("look at " + file.string(), errno);
  if (S_ISREG(info.st_mode)) return Seen(info);
  return Fail({.exit = Exit::kEnvironment, .what = file.string() + " is not a regular file"});
}

Result<CachedFile> LookAt(int descriptor) {
  struct stat info {};
  if (fstat(descriptor, &info) != 0) return SystemFault("look at an open file", errno);
  return Seen(info);
}

Result<CacheLock> CacheLock::Take(const fs::path& run) {
  PT_TRY(MakeFolder(run.parent_path() / ".state"));
  const fs::path path = StateFile(run, ".lock");
  UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file) return SystemFault("open " + path.string(), errno);
  constexpr int kTries = 300;
  for (int i = 0; i < kTries; ++i) {
    if (LockFile(file.get()).ok()) return CacheLock(std::move(file));
    if (IsLocked(run)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return Fail({.exit = Exit::kEnvironment,
               .what = run.filename().string() + " is in use by another job on this machine",
               .fix = "wait for it, or stop it first",
               .kept = "nothing was changed"});
}

Status RemoveCopy(const fs::path& run) {
  std::error_code error;
  if (!fs::exists(run, error)) return Status::OK();
  PT_LET(const CacheLock lock, CacheLock::Take(run));
  const CacheState state = ReadCacheState(run);
  if (state.place.empty() || state.ahead) return Status::OK();
  fs::remove_all(run, error);
  if (!error) fs::remove(StateFile(run, ".json"), error);
  if (!error) return Status::OK();
  return Fail({.exit = Exit::kEnvironment,
               .what = "cannot remove " + run.string() + ": " + error.message()});
}

}  // namespace protium
