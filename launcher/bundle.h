// SPDX-License-Identifier: Apache-2.0
// Unpacks bundles (spark_worker/bundle_format.h) on this machine, where every later session of the
// same user finds them again by their hashes.
//
// They are stored in DIR/protium-UID/bundles/ of the executor's local folders, for their owner
// only:
//   HASH/       unpacked; appears whole, by rename
//   HASH.new/   being unpacked by whoever holds the lock, or left over
//   HASH.lock   held shared while the bundle is used, exclusively to unpack or remove it; its time
//               of change is that of the last use
// At most kMaxKept bundles and kMaxKeptBytes stay (launcher/sweep.h); the least recently used are
// removed first.
#pragma once

#include "launcher/text.h"

namespace protium::launcher {

// Whether a bundle may be used; see TakeBundle.
enum class Taken { kYes, kAbsent, kFailed };

// Finds the bundle, or unpacks it from the working folder, where Spark puts a session's artifacts.
// It stays in use until this process, or the program that it becomes, ends. Waits up to 120 s for
// another process that unpacks it. kAbsent: it is in neither folder. kFailed: `why` is one line
// with the cause and what to do.
Taken TakeBundle(const char* hash, Text* folder, Text* why);

}  // namespace protium::launcher
