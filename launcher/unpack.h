// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/manifest.h"

namespace protium::launcher {

// A bundle's file, opened, with its manifest checked.
struct BundleFile {
  int fd = -1;
  Manifest manifest;
};

// False: `why` says that it is damaged.
bool OpenBundleFile(int fd, const char* hash, BundleFile* bundle, Text* why);

enum class Unpacked { kWhole, kDamaged, kNotWritten };

// Writes the bundle's files and its manifest into the empty folder `folder`, checking every hash on
// the way. `why` says what went wrong.
Unpacked Unpack(const BundleFile& bundle, int folder, Text* why);

}  // namespace protium::launcher
