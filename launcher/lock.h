// SPDX-License-Identifier: Apache-2.0
// HASH.lock beside a bundle: see launcher/bundle.h.
#pragma once

namespace protium::launcher {

enum class Hold { kShared, kAlone };

// Takes the lock of `hash` if nobody is in the way; -1 otherwise. It is held as long as the
// descriptor is open in this process or one that inherits it: it is not closed on exec.
int TryLock(int place, const char* hash, Hold hold);

// The same for a lock that is held in another way, which is lost when it fails.
bool TryConvert(int lock, Hold hold);

}  // namespace protium::launcher
