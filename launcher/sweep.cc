// SPDX-License-Identifier: Apache-2.0
#include "launcher/sweep.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launcher/lock.h"
#include "launcher/place.h"
#include "launcher/text.h"
#include "spark_worker/bundle_format.h"

namespace protium::launcher {
namespace {

// More are left for a later sweep.
constexpr int kMaxSeen = 256;

// An existing bundle, found by its lock file.
struct Kept {
  char hash[kHashDigits + 1];
  // Time of the last use, in nanoseconds since 1970.
  int64_t used;
  int64_t bytes;  // On disk.
};

int64_t BytesIn(int place, const char* hash, const char* below) {
  int fd = openat(place, Join(hash, below).chars, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* folder = fd < 0 ? nullptr : fdopendir(fd);
  if (folder == nullptr) return 0;
  int64_t bytes = 0;
  while (dirent* entry = readdir(folder)) {
    struct stat status;
    bool is_file =
        fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
    if (is_file) bytes += status.st_size;
  }
  closedir(folder);
  return bytes;
}

bool IsLockName(const char* name) {
  return strspn(name, "0123456789abcdef") == kHashDigits &&
         strcmp(name + kHashDigits, ".lock") == 0;
}

// Lists all bundles except `coming`, at most kMaxSeen; returns their number.
int List(int place, const char* coming, Kept* kept) {
  int fd = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* folder = fd < 0 ? nullptr : fdopendir(fd);
  if (folder == nullptr) return 0;
  int count = 0;
  while (dirent* entry = readdir(folder)) {
    struct stat status;
    if (count == kMaxSeen || !IsLockName(entry->d_name) || StartsWith(entry->d_name, coming) ||
        fstatat(place, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    Kept* one = &kept[count++];
    memcpy(one->hash, entry->d_name, kHashDigits);
    one->hash[kHashDigits] = 0;
    one->used = status.st_mtim.tv_sec * int64_t{1000000000} + status.st_mtim.tv_nsec;
    one->bytes = BytesIn(place, one->hash, "lib") + BytesIn(place, one->hash, "bin");
  }
  closedir(folder);
  return count;
}

int LatestFirst(const void* a, const void* b) {
  int64_t one = static_cast<const Kept*>(a)->used, other = static_cast<const Kept*>(b)->used;
  return one == other ? 0 : (one > other ? -1 : 1);
}

bool Exists(int place, const char* name) { return faccessat(place, name, F_OK, 0) == 0; }

// Removes a bundle, or only the remains of its unpacking. Does nothing if it is in use.
void Remove(int place, const char* hash, bool all) {
  int lock = TryLock(place, hash, Hold::kAlone);
  if (lock < 0) return;
  RemoveTree(place, Format("%s.new", hash).chars);
  if (all) {
    RemoveTree(place, hash);
    unlinkat(place, Format("%s.lock", hash).chars, 0);
  }
  close(lock);
}

}  // namespace

void Sweep(int place, const char* coming, int64_t bytes) {
  static Kept kept[kMaxSeen];
  int count = List(place, coming, kept);
  qsort(kept, count, sizeof *kept, LatestFirst);
  // Counts the coming bundle.
  int number = 1;
  for (int i = 0; i < count; ++i) {
    bytes += kept[i].bytes;
    bool is_too_much = ++number > kMaxKept || bytes > kMaxKeptBytes;
    bool is_left = Exists(place, Format("%s.new", kept[i].hash).chars);
    if (is_too_much || is_left || kept[i].bytes == 0) {
      Remove(place, kept[i].hash, is_too_much || kept[i].bytes == 0);
    }
  }
}

}  // namespace protium::launcher
