// SPDX-License-Identifier: Apache-2.0
// Where bundles are kept: DIR/protium-UID/bundles/ in the executor's local folders, which outlive
// sessions.
#pragma once

#include <stdint.h>

#include "launcher/text.h"

namespace protium::launcher {

inline constexpr int kMaxPlaces = 16;

struct Places {
  // Absolute paths, best first; the working folder is the last resort, since it goes with the
  // session.
  Text local[kMaxPlaces];
  int count = 0;
};

// The folders of SPARK_LOCAL_DIRS, or TMPDIR and /tmp if that is not set; then the working folder.
Places LocalFolders();

// An open folder of bundles.
struct Place {
  int fd = -1;
  Text path;
};

// Opens the folder of bundles in `local`, which must be accessible to its owner alone: programs are
// run from it. fd is -1, with the reason in `why`, if it is not there (and `make` is false), not
// safe, or not writable.
Place OpenPlace(const Text& local, bool make, Text* why);

// Whether programs can be run from there and `bytes` fit on the disk; otherwise `why`.
bool CanHold(const Place& place, int64_t bytes, Text* why);

// Removes `name` in the folder, with everything in it. Follows no links; errors are ignored.
void RemoveTree(int folder, const char* name);

}  // namespace protium::launcher
