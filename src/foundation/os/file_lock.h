// SPDX-License-Identifier: Apache-2.0
// A lock on a file as a sign of life: the system gives it back when its process ends, however it
// does, and tells whoever asks. Network file systems that keep locks tell other hosts, too; on one
// that does not the lock is just never seen.
#pragma once

#include "base/status.h"

namespace protium {

// Takes the lock of an open, writable file, until it is closed. An error when somebody holds it, or
// where the file system has no locks.
Status LockFile(int fd);
// Whether another open file holds the lock. Does not wait and disturbs nobody.
bool IsLockedByOthers(int fd);

}  // namespace protium
