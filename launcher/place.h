// SPDX-License-Identifier: Apache-2.0
// Where bundles are stored: DIR/protium-UID/bundles/ in the executor's local folders, which outlive
// sessions.
#pragma once

#include <stdint.h>

#include "launcher/text.h"

namespace protium::launcher {

inline constexpr int kMaxPlaces = 16;

struct Places {
  // Absolute paths, best first; the working folder is the last resort, since it is removed with the
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

// Opens the folder of bundles in `local`, which must be accessible to its owner alone, because
// programs are run from it. fd is -1, with the reason in `why`, if the folder does not exist (and
// `make` is false), is not safe, or is not writable.
Place OpenPlace(const Text& local, bool make, Text* why);

// Whether programs can be run from the folder and `bytes` fit on its disk; otherwise sets `why`.
bool CanHold(const Place& place, int64_t bytes, Text* why);

// Removes `name` in the folder, with everything in it. Follows no links; errors are ignored.
void RemoveTree(int folder, const char* name);

}  // namespace protium::launcher
