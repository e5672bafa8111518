// SPDX-License-Identifier: Apache-2.0
// Bundles (spark/ship/bundle_format.h) unpacked on this machine, by their hashes.
//
// They are kept in DIR/protium-UID/bundles/ of the executor's local folders, for the owner only:
//   HASH/       unpacked; appears whole, by rename
//   HASH.new/   being unpacked by who holds the lock, or left over
//   HASH.lock   held shared while the bundle is used, exclusively to unpack or remove it; its time
//               of change is that of the last use
// At most kMaxKept bundles and kMaxKeptBytes are kept; the longest unused go first.
#pragma once

#include "launcher/text.h"

namespace protium::launcher {

enum class Taken { kYes, kAbsent, kFailed };

// Finds the bundle, or unpacks it from the working folder, and keeps it in use until this process,
// or the program that it becomes, ends. Waits for another one that unpacks it. kAbsent: it is at
// neither place. kFailed: `why` is one line with cause and fix.
Taken TakeBundle(const char* hash, Text* folder, Text* why);

}  // namespace protium::launcher
