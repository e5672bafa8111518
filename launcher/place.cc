// SPDX-License-Identifier: Apache-2.0
#include "launcher/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace protium::launcher {
namespace {

// Deeper than the folders of any bundle.
constexpr int kMaxDepth = 8;
// Bytes left free for the executor's own files.
constexpr int64_t kSpareBytes = 16 << 20;

void AddFolder(Places* places, const char* path) {
  if (places->count == kMaxPlaces) return;
  char real[PATH_MAX];
  // The loader separates the folders of --library-path by these characters; a path that contains
  // one cannot be used.
  if (realpath(path, real) == nullptr || strpbrk(real, ":;") != nullptr) return;
  places->local[places->count++] = Format("%s", real);
}

// Opens a folder that nobody else can enter, or fails with EPERM. Opens it first, without following
// a link, and then checks it, so that it cannot be exchanged in between.
int OpenOwn(int parent, const char* name, bool make) {
  if (make && mkdirat(parent, name, 0700) != 0 && errno != EEXIST) return -1;
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  struct stat status;
  bool is_own = fstat(fd, &status) == 0 && status.st_uid == geteuid();
  if (is_own && ((status.st_mode & 077) == 0 || fchmod(fd, 0700) == 0)) return fd;
  close(fd);
  errno = EPERM;
  return -1;
}

void RemoveBelow(int parent, const char* name, int depth) {
  if (unlinkat(parent, name, 0) == 0 || depth == 0) return;
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* folder = fd < 0 ? nullptr : fdopendir(fd);
  if (folder != nullptr) {
    while (dirent* entry = readdir(folder)) {
      bool is_own = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
      if (!is_own) RemoveBelow(fd, entry->d_name, depth - 1);
    }
    closedir(folder);
  }
  unlinkat(parent, name, AT_REMOVEDIR);
}

}  // namespace

Places LocalFolders() {
  Places places;
  const char* listed = getenv("SPARK_LOCAL_DIRS");
  if (listed != nullptr && *listed != 0) {
    Text list = Format("%s", listed);
    char* rest = nullptr;
    for (char* path = strtok_r(list.chars, ",", &rest); path;
         path = strtok_r(nullptr, ",", &rest)) {
      if (places.count < kMaxPlaces - 1) AddFolder(&places, path);
    }
  } else {
    if (const char* temporary = getenv("TMPDIR")) AddFolder(&places, temporary);
    AddFolder(&places, "/tmp");
  }
  AddFolder(&places, ".");
  return places;
}

Place OpenPlace(const Text& local, bool make, Text* why) {
  Place place;
  Text own = Format("protium-%u", static_cast<unsigned>(geteuid()));
  int parent = open(local.chars, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int middle = parent < 0 ? -1 : OpenOwn(parent, own.chars, make);
  if (middle >= 0) place.fd = OpenOwn(middle, "bundles", make);
  if (place.fd < 0) {
    *why = Format("%s cannot be written by this user alone (%s)", local.chars, strerror(errno));
  }
  place.path = Join(Join(local.chars, own.chars).chars, "bundles");
  if (parent >= 0) close(parent);
  if (middle >= 0) close(middle);
  return place;
}

bool CanHold(const Place& place, int64_t bytes, Text* why) {
  struct statvfs disk;
  if (fstatvfs(place.fd, &disk) != 0) {
    *why = Format("%s: %s", place.path.chars, strerror(errno));
    return false;
  }
  if (disk.f_flag & ST_NOEXEC) {
    *why = Format("%s is on a disk mounted noexec", place.path.chars);
    return false;
  }
  int64_t free_bytes = static_cast<int64_t>(disk.f_bavail) * static_cast<int64_t>(disk.f_frsize);
  if (free_bytes >= bytes + kSpareBytes) return true;
  *why = Format("%s has %lld MiB free, and %lld MiB are needed", place.path.chars,
                static_cast<long long>(free_bytes >> 20),
                static_cast<long long>((bytes + kSpareBytes) >> 20));
  return false;
}

void RemoveTree(int folder, const char* name) { RemoveBelow(folder, name, kMaxDepth); }

}  // namespace protium::launcher
