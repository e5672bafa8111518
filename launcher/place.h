// SPDX-License-Identifier: Apache-2.0
// Where bundles are kept: DIR/protium-UID/bundles/ in the executor's local folders.
#pragma once

#include <stdint.h>

#include "launcher/text.h"

namespace protium::launcher {

inline constexpr int kMaxPlaces = 16;

struct Places {
  Text local[kMaxPlaces];  // Absolute paths, best first; the working folder is the last.
  int count = 0;
};

// SPARK_LOCAL_DIRS; without it, TMPDIR and /tmp.
Places LocalFolders();

struct Place {
  int fd = -1;
  Text path;
};

// Opens the folder of bundles in `local`, which must be the owner's alone. fd is -1 with the reason
// in `why` when it is not there (and is not made when `make` is false), or not safe or writable.
Place OpenPlace(const Text& local, bool make, Text* why);

// Whether programs can run from there and `bytes` find room; otherwise `why`.
bool CanHold(const Place& place, int64_t bytes, Text* why);

// Removes `name` in the folder with all that is in it.
void RemoveTree(int folder, const char* name);

}  // namespace protium::launcher
