// SPDX-License-Identifier: Apache-2.0
#include "launcher/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launcher/text.h"

namespace protium::launcher {
namespace {

// Whoever removes a bundle also removes its lock file, and the next process makes a new one; so a
// lock on the old file excludes nobody and must not count.
bool IsLinked(int lock) {
  struct stat status;
  return fstat(lock, &status) == 0 && status.st_nlink > 0;
}

}  // namespace

int TryLock(int place, const char* hash, Hold hold) {
  Text name = Format("%s.lock", hash);
  int lock = openat(place, name.chars, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  if (lock < 0 || TryConvert(lock, hold)) return lock;
  close(lock);
  return -1;
}

bool TryConvert(int lock, Hold hold) {
  return flock(lock, (hold == Hold::kShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 && IsLinked(lock);
}

}  // namespace protium::launcher
