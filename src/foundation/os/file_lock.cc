// SPDX-License-Identifier: Apache-2.0
#include "os/file_lock.h"

#include <fcntl.h>

#include <cerrno>

#include "os/fd.h"

// Uses locks of the open file description (fcntl(2)): unlike locks of a process, they remain when
// the process opens and closes the same file elsewhere, and unlike with flock(2), one can query
// them without taking them.

namespace protium {
namespace {

struct flock Whole(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

Status LockFile(int fd) {
  struct flock lock = Whole(F_WRLCK);
  return ::fcntl(fd, F_OFD_SETLK, &lock) == 0 ? Status::OK() : SystemFault("lock a file", errno);
}

bool IsLockedByOthers(int fd) {
  struct flock lock = Whole(F_RDLCK);
  return ::fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace protium
