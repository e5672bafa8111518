// SPDX-License-Identifier: Apache-2.0
#include "stream/instances.h"

#include <fcntl.h>

#include <string>

#include "base/fault.h"
#include "os/file.h"
#include "os/file_lock.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr int64_t kMost = 1000;

fs::path LockOf(const fs::path& folder, int64_t number) { return folder / std::to_string(number); }

}  // namespace

int64_t PartsOf(int64_t parts, const InstancePlace& place) {
  return parts / place.count + (place.place < parts % place.count ? 1 : 0);
}

Result<Instances> Instances::Join(const fs::path& folder) {
  PT_TRY(MakeFolder(folder));
  for (int64_t number = 0; number < kMost; ++number) {
    const fs::path file = LockOf(folder, number);
    UniqueFd lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (lock.get() < 0) return SystemFault("open " + file.string(), errno);
    if (LockFile(lock.get()).ok()) return Instances(folder, number, std::move(lock));
  }
  return Fail({.exit = Exit::kEnvironment,
               .what = "none of the files with which processes share a stream can be locked",
               .where = folder.string(),
               .why = "more than 1,000 processes share it, or the file system has no locks",
               .kept = "nothing was started"});
}

InstancePlace Instances::Look() const {
  InstancePlace place{.place = 0, .count = 1};
  for (int64_t number = 0; number < kMost; ++number) {
    if (number == number_) continue;
    const UniqueFd fd(::open(LockOf(folder_, number).c_str(), O_RDWR | O_CLOEXEC));
    // Files stay, so there is none behind the first that is missing.
    if (fd.get() < 0) break;
    if (!IsLockedByOthers(fd.get())) continue;
    place.count += 1;
    if (number < number_) place.place += 1;
  }
  return place;
}

}  // namespace protium
