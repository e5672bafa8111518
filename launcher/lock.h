// SPDX-License-Identifier: Apache-2.0
// HASH.lock beside a bundle; launcher/bundle.h says what it means. flock() locks belong to the open
// file and not to the process, so a program still holds what the launcher locked before exec.
#pragma once

namespace protium::launcher {

enum class Hold { kShared, kAlone };

// Takes the lock of `hash` without waiting; -1 if another holder prevents it. The lock is held as
// long as the descriptor is open in this process or in one that inherits it; it is not closed on
// exec.
int TryLock(int place, const char* hash, Hold hold);

// Converts a lock that is held in the other way; if this fails, the lock is lost.
bool TryConvert(int lock, Hold hold);

}  // namespace protium::launcher
