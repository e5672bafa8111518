// SPDX-License-Identifier: Apache-2.0
// A lock on a file as a sign of life: when its process ends, however it does, the system releases
// the lock and shows that to others. Network file systems that implement locks show other hosts,
// too; on one that does not, the lock is never seen.
#pragma once

#include "base/status.h"

namespace protium {

// Takes the lock of an open, writable file, until it is closed. Fails if another holds it, or if
// the file system has no locks.
Status LockFile(int fd);
// Whether another open file holds the lock. Does not wait, and does not affect the holder.
bool IsLockedByOthers(int fd);

}  // namespace protium
